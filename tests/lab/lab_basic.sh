#!/bin/bash
# The lab for real: lab_basic.sh LAB_DRIVER HELLO_MPI. Exit code 77: cannot run here, reason printed.
set -u
driver=$1 hello=$2
[ "$(id -u)" = 0 ] || { echo "SKIP: root is needed for network namespaces"; exit 77; }
for tool in ip tc bridge mpirun unshare; do
  PATH=$PATH:/usr/sbin:/sbin command -v $tool > /dev/null || { echo "SKIP: $tool is not installed"; exit 77; }
done
unshare -n -m -p --propagation unchanged --fork true 2> /dev/null || { echo "SKIP: this machine allows no new namespaces"; exit 77; }

work=$(mktemp -d)
export TMPDIR=$work  # launches make their private folder here: others may be busy in /tmp
name=t$$
failures=0
trap '"$driver" lab down $name > /dev/null 2>&1; rm -rf "$work"' EXIT
check() {  # check CLAIM COMMAND...
  local claim=$1; shift
  if "$@"; then echo "ok   $claim"; else echo "FAIL $claim"; failures=$((failures + 1)); fi
}
count() { [ "$(wc -l < "$work/$1")" = "$2" ] || { cat "$work/$1"; return 1; }; }
has() { grep -qE "$2" "$work/$1" || { cat "$work/$1"; return 1; }; }
lacks() { ! grep -qE "$2" "$work/$1" || { cat "$work/$1"; return 1; }; }
# Everything a lab could leave on the machine. Processes: alive ones of this test's driver only.
machine() {
  ip -o link | awk '{print "link", $2}'; ip netns list; awk '{print "mount", $2, $3}' /proc/self/mounts | grep -E 'nsfs|lab|/run'
  ls -d /run/railgauge-lab /run/railgauge/$name.json "$work"/railgauge-?????? 2> /dev/null
}
gone() {  # gone PID: not there, or dead and not yet reaped
  local i state
  for i in $(seq 200); do
    state=$(sed -E 's/.*\) (.).*/\1/' "/proc/$1/stat" 2> /dev/null) || return 0
    [ -z "$state" ] || [ "$state" = Z ] && return 0
    sleep 0.05
  done
  return 1
}
machine > "$work/before"
clean() { machine > "$work/after"; diff "$work/before" "$work/after"; }

"$driver" run 4x2 -- mpi "$hello" > "$work/mpi"
check "mpirun reaches four hosts through lab-exec" count mpi 8
check "each rank knows its node, its host name and the exported variable" has mpi '^rank 6 of 8 on h4 node h4 environment seen sum 28$'
check "ranks are in the order of the nodes" has mpi '^rank 2 of 8 on h2 node h2 '
check "a finished run leaves nothing" clean

"$driver" run 4x2 -- ports > "$work/ports"
check "every rail is on its leaf at once" count ports 8
check "four on leaf1" [ "$(grep -c '^leaf1 ' "$work/ports")" = 4 ]
"$driver" run 4x2 down:h2:rail1 missing:h4:rail0 -- ports > "$work/ports"
check "a rail that is down and a missing one are on no leaf" count ports 6
"$driver" run 4x2 slow:h9:rail0:0.5 -- ports > "$work/out" 2> "$work/err"
check "a fault on an unknown host is wrong use" [ $? = 2 ]
check "and says which hosts there are" has err 'no host h9; hosts are h1 to h4'

"$driver" lab up --name $name --nodes 2 --rails 2 --fault slow:h2:rail1:0.5:send > "$work/up"
check "lab up" has up '2 hosts x 2 rails'
"$driver" run $name -- "$driver" lab-exec h2 --exec tc qdisc show dev rail1 > "$work/tc"
check "slow, send: the host's end has half the rate" has tc 'tbf .*rate 100Mbit'
"$driver" run $name -- tc qdisc show dev h2r1 > "$work/tc"
check "slow, send: the leaf's end has the whole rate" has tc 'tbf .*rate 200Mbit'
"$driver" run $name -- "$driver" lab-exec h2 --exec ip -br link show rail0 > "$work/link"
mac=$(awk '{print $3}' "$work/link")
"$driver" run $name -- ports > "$work/ports"
check "the rail is on its own leaf" has ports "^leaf0 $mac"
"$driver" lab fault swap:h2:rail0:rail1 --name $name > "$work/out" 2> "$work/err"
check "a rail with a fault takes no second one" has err 'rail1 of h2 has a fault already'
"$driver" lab fault --undo slow:h2:rail1:0.5:send --name $name > "$work/out"
"$driver" lab fault swap:h2:rail0:rail1 --name $name > "$work/out"
"$driver" run $name -- ports > "$work/ports"
check "a swapped cable is on the other leaf at once" has ports "^leaf1 $mac"
"$driver" lab fault --undo swap:h2:rail0:rail1 --name $name > "$work/out"
"$driver" run $name -- ports > "$work/ports"
check "and back again" has ports "^leaf0 $mac"
"$driver" lab fault cpu-hog:h1:1 --name $name > "$work/out"
"$driver" run $name -- ps -eo stat,comm > "$work/ps"
check "a hog burns" has ps 'R.* rg-hog-h1'
"$driver" lab fault --undo cpu-hog:h1:1 --name $name > "$work/out"
"$driver" run $name -- ps -eo stat,comm > "$work/ps"
check "and is gone" lacks ps '^[^Z].*rg-hog'
"$driver" run $name -- "$driver" lab-exec h1 hostname \; ls /sys/class/net > "$work/out"
check "lab-exec joins words for the other side's shell, as ssh" has out '^h1$'
check "/sys shows the host's own interfaces" has out '^rail1$'
check "and no bridge" lacks out '^leaf'
"$driver" run $name -- "$driver" lab-exec h7 --exec true 2> "$work/err"
check "an unknown host is exit code 255, as ssh" [ $? = 255 ]

holder=$(sed -n 's/^ *"pid": \([0-9]*\),/\1/p' /run/railgauge/$name.json)
kill -9 "$holder"
check "kill -9 of the holder ends the lab" gone "$holder"
"$driver" lab down $name > "$work/out"
check "the next down cleans up" clean

"$driver" run 2x2 cpu-hog:h1:1 -- sleep 600 & run=$!
first=
for i in $(seq 100); do
  first=$(pgrep -P $run | head -1)
  [ -n "$first" ] && grep -q . "/proc/$first/root/run/railgauge-lab/spec.json" 2> /dev/null && break
  sleep 0.05
done
kill -9 $run; wait $run 2> /dev/null
check "kill -9 of the command ends the lab's first process" gone "$first"
check "and leaves no name, interface, mount or file" clean

"$driver" run 2x2 -- sleep 600 & run=$!
sleep 0.5
kill -TERM $run; wait $run; status=$?
check "SIGTERM reaches the work and its status comes back" [ $status = 143 ]
check "and nothing is left" clean
echo "$failures failed"
exit $((failures > 0))
