#!/usr/bin/env bash
# outputs_of_a_run.sh RAILGAUGE: runs a faulty lab by a plan with criteria and holds all its outputs against each other, as written by the run and as rendered
# again by `report`. Exit code 77: cannot run here, reason printed.
set -u
railgauge=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
user=(); [ "$(id -u)" = 0 ] || user=(-r)  # in a chroot nobody may make a user namespace, and root needs none
unshare "${user[@]}" -n -m -p --propagation unchanged --fork true 2> /dev/null || { echo "SKIP: this machine allows no new namespaces"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/plan.yaml" << 'PLAN'
name: accept-lab
time_box: 2m
cases:
  - case: p2p.rail.write_bw
    box: 400ms
  - case: p2p.rail.latency
    repeats: 1
criteria:
  - {id: accept.worst_flow, case: p2p.rail.write_bw, at_least: 150mbit}
  - {id: accept.median_flow, case: p2p.rail.write_bw, statistic: median, flow: median, at_least: 50mbit, missed: warn}
PLAN
failed=0
say() { echo "FAILED: $*"; failed=1; }
"$railgauge" run "$work/plan.yaml" --lab 4x2 --fault slow:h3:rail1:0.5:send --out "$work/run" > "$work/terminal" 2> "$work/stderr"
code=$?
[ $code = 1 ] || { say "exit code $code, 1 wanted"; cat "$work/stderr"; }
for file in html json md xml prom; do [ -s "$work/run/report.$file" ] || say "the run wrote no report.$file"; done
cp "$work/terminal" "$work/run/report.txt"
python3 "$here/outputs_agree.py" "$work/run/report" || say "outputs of the run differ"
grep -q '"id": "accept.worst_flow"' "$work/run/report.json" || say "the plan's criterion is missing"
python3 - "$work/run/report.json" << 'CHECK' || say "the plan's criteria are judged wrong"
import json, sys
criteria = {c["id"]: c for c in json.load(open(sys.argv[1]))["criteria"]}
worst, median = criteria["accept.worst_flow"], criteria["accept.median_flow"]
print(worst["verdict"], worst["measured"], "|", median["verdict"], median["measured"])
assert worst["verdict"] == "FAIL" and 80e6 < worst["figure"]["value"] < 110e6 and worst["limit"] == {"value": 150e6, "unit": "bit/s"} and worst["findings"]
assert median["verdict"] == "PASS" and worst["from"].endswith("plan.yaml:9")
CHECK
cp -r "$work/run" "$work/again"
"$railgauge" report "$work/again" --format terminal,html,json,md,junit,prom > "$work/terminal2" 2>> "$work/stderr"
[ $? = 1 ] || say "report: exit code differs from the run's"
python3 "$here/outputs_agree.py" "$work/again/report" || say "outputs rendered again differ"
for file in json md xml prom; do cmp "$work/run/report.$file" "$work/again/report.$file" || say "report.$file rendered again is another"; done
ls "$work"/run/*.tmp 2> /dev/null && say "a temporary file is left"
"$here/promtool_check.sh" "$work/run/report.prom" || [ $? = 77 ] || failed=1
exit $failed
