#!/usr/bin/env bash
# `run --lab` as an ordinary user: lab_as_user.sh RAILGAUGE. Started as root it goes on as user 65534. Exit code 77: cannot run here, reason printed.
set -u
railgauge=$(realpath "$1")
if [ "$(id -u)" = 0 ]; then
  folder=$(mktemp -d) && chown 65534:65534 "$folder"
  trap 'rm -rf "$folder"' EXIT
  setpriv --reuid 65534 --regid 65534 --clear-groups true 2> /dev/null ||
    { echo "SKIP: user 65534 can start no program here (/ is closed to others?)"; exit 77; }
  HOME=$folder TMPDIR=$folder setpriv --reuid 65534 --regid 65534 --clear-groups "$0" "$railgauge"
  exit $?
fi
[ -x "$railgauge" ] || { echo "SKIP: user $(id -u) cannot reach $railgauge"; exit 77; }
unshare -Urnmpi --fork true 2> /dev/null || { echo "SKIP: this machine allows ordinary users no namespaces"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
check() {  # check CLAIM COMMAND...
  local claim=$1; shift
  if "$@"; then echo "ok   $claim"; else echo "FAIL $claim"; failures=$((failures + 1)); fi
}
machine() { ip -o link | awk '{print "link", $2}'; awk '{print "mount", $2, $3}' /proc/self/mounts; }
# Folders of launches; the scratch folder railgauge-UID stays, --resume looks there.
folders() { find /tmp /run "${TMPDIR:-/tmp}" -maxdepth 1 -name 'railgauge-??????' -user "$(id -un)" 2> /dev/null; }
ours() { ps -o pid=,args= -u "$(id -u)" | grep -E 'railgauge|orted|mpirun' | grep -vE 'lab_as_user|grep' ; }
gone() { local i; for i in $(seq 100); do ours > /dev/null || return 0; sleep 0.1; done; ours; return 1; }
export PATH=$PATH:/usr/sbin:/sbin
machine > before

"$railgauge" run quick --lab 4x4 --fault slow:h3:rail2:0.5:send --out run > terminal 2> stderr
code=$?
check "a slow rail is found: exit code 1" [ $code = 1 ] || cat stderr
check "and named" grep -q 'rail.slow at h3 rail 2' terminal
check "one finding only" [ "$(grep -c '"code":' run/report.json)" = 1 ]
check "the user owns every file of the run" [ -z "$(find run ! -user "$(id -un)")" ]
machine > after
check "nothing is left on the machine" diff before after
check "and no folder of a launch" [ -z "$(folders)" ]
check "no process is left" gone

"$railgauge" run quick --lab 4x4 --out killed > /dev/null 2>&1 &
victim=$!
for i in $(seq 100); do ours | grep -q orted && break; sleep 0.1; done
kill -9 $victim
wait $victim 2> /dev/null
check "after kill -9 no process is left" gone
machine > after
check "and nothing on the machine" diff before after

"$railgauge" lab up --name "u$$" > out 2> err
check "a lab that stays is refused with what works" [ $? = 2 ]
check "in one line" [ "$(wc -l < err)" = 1 ]
# A machine that forbids it: a user namespace, as no root of it, in which no further one may be made.
unshare -U --map-user=1000 --keep-caps --fork sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" run quick --lab 2x2 --out refused' \
  "$railgauge" > out 2> err
check "where it is forbidden: exit code 2" [ $? = 2 ]
check "and the command that permits it" grep -q 'sudo sysctl -w user.max_user_namespaces=15000' err || cat err
exit $((failures > 0))
