"""Planted faults in a real 4x4 lab: every run must give exactly the finding that was planted, and nothing else.

campaign.py RAILGAUGE DUMP_SAMPLES [--repeats N] [--only SCENARIO] [--jobs N] [--keep DIR]
A line a run; then a line a scenario; exit 1 if any run was wrong, 77 (skipped) without root.
"""
import json
import sys

from lab_runs import Scenario, exactly, kill_in_mid_round, place, run_scenarios, samples_of


def swapped(node, first, second):
    inner = exactly(("cable.swapped", node, None, None))
    def check(run, report):
        wrong = inner(run, report)
        if wrong:
            return wrong
        text = json.dumps(report["findings"][0])
        absent = [w for w in (f"rail{first}", f"rail{second}", f"leaf{first}", f"leaf{second}") if w not in text]
        return f"the finding does not name {absent}" if absent else None
    return check


def died(node, rail, dump):
    def check(run, report):
        if run.disturbed is not True:
            return "the rank could not be killed"
        found = [f for f in report["findings"] if f["code"] == "rank.died"]
        others = [place(f) for f in report["findings"] if f["code"] != "rank.died"]
        if len(found) != 1 or found[0]["where"].get("node") != node or found[0]["where"].get("rail") != rail:
            return f"rank.died {node} {rail} not named: {[place(f) for f in report['findings']]}"
        if others:
            return f"also found {others}"
        rows = samples_of(run, dump)
        deaths = [r for r in rows if r["kind"] == "event" and r["status"] == "rank_died"]
        if len(deaths) != 1:
            return f"{len(deaths)} rank_died events"
        fatal = int(deaths[0]["round"])
        ok = [r for r in rows if r["kind"] == "flow" and r["side"] == "receive" and r["status"] == "ok"]
        of_round = {(r["source_node"], r["target_node"], r["rail"]) for r in ok if int(r["round"]) == fatal}
        hosts = {h for s, t, _ in of_round for h in (s, t)} - {node}
        if len(hosts) < 3:
            return f"round {fatal}: samples of the other hosts are missing, only {sorted(of_round)}"
        last = max(int(r["round"]) for r in ok)
        return None if last > fatal else f"nothing was measured after round {fatal}"
    return check


def proven(inner):
    """inner, and: for every flow the counters of both its NICs moved by the payload, and those without a flow did not."""
    def check(run, report):
        wrong = inner(run, report)
        if wrong:
            return wrong
        gate = next((c for c in report["criteria"] if c["id"] == "proof.counters"), None)
        return None if gate and gate["verdict"] == "PASS" else f"proof.counters: {gate}"
    return check


def scenarios(i, options, _):
    """name -> Scenario; i varies the place from repeat to repeat."""
    h, r = f"h{i % 4 + 1}", (i * 3 + 1) % 4
    h2, r2 = f"h{(i + 2) % 4 + 1}", (r + 1 + i) % 4
    lab, dump = ["--lab", "4x4"], options.dump_samples

    def planted(fault, *wanted, proof=False):
        check = exactly(*wanted)
        return Scenario(lab + [w for f in fault for w in ("--fault", f)], proven(check) if proof else check)

    return {
        "healthy": planted([], proof=True),
        "two_kinds": Scenario(["--kinds", "2x4@200mbit,2x2@100mbit"], proven(exactly())),
        "slow_send": planted([f"slow:{h}:rail{r}:0.5:send"], ("rail.slow", h, r, "send"), proof=True),
        "slow_receive": planted([f"slow:{h}:rail{r}:0.5:receive"], ("rail.slow", h, r, "receive"), proof=True),
        "slow_both": planted([f"slow:{h}:rail{r}:0.5:both"], ("rail.slow", h, r, "both"), proof=True),
        "two_slow": planted([f"slow:{h}:rail{r}:0.5:send", f"slow:{h2}:rail{r2}:0.5:receive"],
                            ("rail.slow", h, r, "send"), ("rail.slow", h2, r2, "receive")),
        "rail_down": planted([f"down:{h}:rail{r}"], ("rail.down", h, r, None)),
        "swapped": Scenario(lab + ["--fault", f"swap:{h}:rail2:rail3"], swapped(h, 2, 3)),
        "missing": planted([f"missing:{h}:rail{r}"], ("nic.missing", h, r, None)),
        "rank_killed": Scenario(lab, died(h, r, dump), kill_in_mid_round(h, r)),
    }


sys.exit(run_scenarios(scenarios))
