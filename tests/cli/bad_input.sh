#!/usr/bin/env bash
# Wrong use and bad input: exit code 2, one line on stderr that names file, line and key, nothing started, nothing written.
set -u
railgauge=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# refuse PATTERN ARGUMENT...: exit 2, one line that matches.
refuse() {
  local pattern=$1 text code
  shift
  text=$("$railgauge" "$@" 2>&1 >/dev/null)
  code=$?
  if [ $code -ne 2 ] || ! grep -q -- "$pattern" <<<"$text" || [ "$(wc -l <<<"$text")" -gt 2 ]; then
    echo "FAILED: railgauge $*: exit code $code (2 wanted), said: $text (wanted: $pattern)"
    failed=1
  fi
}

printf 'h1\nh2\nh1\n' >double
printf '# nobody\n' >nobody
printf 'h1\nno-such-host.invalid\n' >unknown
printf 'cases:\n  - case: p2p.rail.write_bw\n    sizes: [0]\n' >size.yaml
printf 'speed: 3\n' >key.yaml
printf 'cases:\n  - case: p2p.rail.write_bw\ncriteria:\n  - {id: a, case: p2p.rail.write_bw, at_most: 4gbit}\n' >limit.yaml
printf 'launcher: magic\n' >site.yaml
printf 'h1\nH1.\n' >spelled
printf 'cases: [{case: p2p.rail.write_bw}]\ngates:\n  model_warn: 0.1\n' >gate.yaml
printf 'launcher: mpirun\n' >other.yaml
printf 'name: "\\e[31mred"\ncases: [{case: p2p.rail.write_bw}]\n' >name.yaml
mkdir taken && touch taken/thesis.tex
before=$(ls -R)

refuse 'double:3: h1: given twice' run --hosts double
refuse 'nobody: no hosts' run --hosts nobody
refuse 'unknown:[12]: .*unknown host' run --hosts unknown
refuse 'missing: no such file' run --hosts missing
refuse 'size.yaml:3: cases\[0\].sizes\[0\]: impossible size' run ./size.yaml --lab 4x4
refuse 'key.yaml:1: speed: unknown key' plan ./key.yaml --lab 4x4
refuse 'site.yaml:1: launcher' run --lab 4x4 --site site.yaml
refuse 'slowly: no such plan' run slowly --lab 4x4
refuse 'limit.yaml:4: criteria\[0\].at_most: p2p.rail.write_bw is measured in bit/s' run ./limit.yaml --lab 4x4
refuse 'lab 4' run --lab 4
refuse 'h9' run --lab 4x4 --fault slow:h9:rail1:0.5
refuse 'only a lab' run --hosts double --fault down:h1:rail1
refuse 'nothing was touched' run --lab 4x4 --out taken
refuse 'holds no run that can go on: there is no plan.json' run --lab 4x4 --out taken --resume-or-new
refuse 'no run here' run --lab 4x4 --resume nowhere
refuse 'no run here' run --resume nowhere
refuse "fault slow:h1:rail1:2: '2' is wrong there: write slow:HOST" run --lab 4x4 --fault slow:h1:rail1:2
refuse 'other.yaml: launcher: mpirun cannot reach the hosts of a lab' plan --lab 4x4 --site other.yaml
refuse 'name.yaml:1: name: 1 to 64 visible' plan ./name.yaml --lab 4x4
refuse 'nothing to measure between' run
refuse 'format' run --lab 4x4 --format pdf
refuse 'time-box' run --lab 4x4 --time-box soon
refuse 'no run directory' report nowhere
refuse 'plan.json: no such file' report taken
refuse 'subcommand' # none
refuse 'not expected' run --lab 4x4 --frobnicate
refuse 'rnu: no such command; there are run' rnu
refuse '--out: needs a value' run --lab 4x4 --out ''
refuse '--lab: needs a value' run --lab ''
refuse 'launcher mpirun: cannot reach' run --lab 4x4 --launcher mpirun
refuse 'one host has nobody' run --lab 1x4
refuse '--lab: lab 4x:' run --lab 4x
refuse 'leaves less than 1 Mbit/s' run --lab 4x4 --fault slow:h1:rail1:0.000001
refuse 'spelled:2: H1.: given twice' run --hosts spelled
refuse 'gate.yaml:3: gates.model_warn: model_fail 0.9 is above model_warn 0.1' plan ./gate.yaml --lab 4x4
TMPDIR=$dir/nowhere refuse 'TMPDIR=.*nowhere: no folder' run --lab 4x4
"$railgauge" list >/dev/full 2>full.txt
[ $? -eq 2 ] && grep -q 'cannot be written' full.txt || { echo "FAILED: a full output: $(cat full.txt)"; failed=1; }
rm -f full.txt

[ "$(ls -R)" = "$before" ] || { echo "FAILED: something was written:"; ls -R; failed=1; }
for good in --version list "plan --lab 4x4"; do
  # shellcheck disable=SC2086
  "$railgauge" $good >/dev/null || { echo "FAILED: railgauge $good: exit code $?"; failed=1; }
done
for command in "" run plan report list doctor lab "lab up" "lab fault" "lab status" "lab down"; do
  # shellcheck disable=SC2086
  "$railgauge" $command --help |
    awk -v c="$command" 'length > 80 { print "FAILED: railgauge " c " --help: wider than 80 columns: " $0; bad = 1 } END { exit bad }' || failed=1
done
exit $failed
