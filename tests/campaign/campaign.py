"""Planted faults in a real 4x4 lab: every run must give exactly the finding that was planted, and nothing else.

campaign.py RAILGAUGE DUMP_SAMPLES [--repeats N] [--only SCENARIO] [--jobs N] [--keep DIR]
A line a run; then a line a scenario; exit 1 if any run was wrong, 77 (skipped) without root.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

RUN_DEADLINE_S = 180


class Run:
    """One `railgauge run` and what it left."""

    def __init__(self, arguments, out, disturb=None):
        self.out = out
        self.begin = time.monotonic()
        self.log = open(str(out) + ".log", "wb")
        self.process = subprocess.Popen(arguments + ["--out", str(out)], stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.disturbed = None
        if disturb:
            self.thread = threading.Thread(target=lambda: setattr(self, "disturbed", disturb(self)))
            self.thread.start()
        try:
            self.code = self.process.wait(RUN_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.code = "hung"
        if disturb:
            self.thread.join()
        self.seconds = time.monotonic() - self.begin
        self.log.close()

    def report(self):
        path = self.out / "report.json"
        return json.loads(path.read_text()) if path.is_file() else None


def descendants(pid):
    children = {}
    for p in pathlib.Path("/proc").iterdir():
        if p.name.isdigit():
            try:
                stat = (p / "stat").read_text()
                children.setdefault(int(stat.rsplit(")", 1)[1].split()[1]), []).append(int(p.name))
            except (OSError, ValueError):
                pass
    todo, found = [pid], []
    while todo:
        for child in children.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def rank_of(run, host, rail):
    """pid of the rank of host and rail: its command line names the node, its name (comm) the NIC. None: not (yet) there."""
    for pid in descendants(run.process.pid):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            continue
        if words[0].endswith(b"railgauge-rank") and host.encode() in words and name == f"rg:rail{rail}":
            return pid
    return None


def kill_in_mid_round(host, rail):
    def disturb(run):
        until = time.monotonic() + 60
        while time.monotonic() < until and run.process.poll() is None:
            pid = rank_of(run, host, rail)
            samples = run.out / "scratch"  # any sign of a measured round will do: the journal or the log's progress
            if pid and (b"round" in pathlib.Path(str(run.out) + ".log").read_bytes() or samples.exists()):
                time.sleep(3.37)  # well inside the screening, at no particular point of a round
                try:
                    os.kill(pid, signal.SIGKILL)
                    return True
                except OSError:
                    return False
            time.sleep(0.05)
        return False
    return disturb


def place(finding):
    where = finding["where"]
    return (finding["code"], where.get("node"), where.get("rail"), finding.get("direction"))


def exactly(*wanted):
    """The report's findings are these (code, node, rail, direction); None matches anything."""
    def check(run, report):
        got = [place(f) for f in report["findings"]]
        left = list(got)
        for w in wanted:
            hit = next((g for g in left if all(a is None or a == b for a, b in zip(w, g))), None)
            if hit is None:
                return f"missing {w}; got {got}"
            left.remove(hit)
        if left:
            return f"also found {left}"
        expected = "FAIL" if wanted else "PASS"
        return None if report["verdict"] == expected else f"verdict {report['verdict']}, expected {expected}"
    return check


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
        rows = list(csv.DictReader(io.StringIO(subprocess.run([dump, run.out / "samples.rg"], capture_output=True, text=True, check=True).stdout)))
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


def proven(dump, inner):
    """inner, and: for every flow the counters of both its NICs moved by the payload, and those without a flow did not."""
    def check(run, report):
        wrong = inner(run, report)
        if wrong:
            return wrong
        gate = next((c for c in report["criteria"] if c["id"] == "proof.counters"), None)
        return None if gate and gate["verdict"] == "PASS" else f"proof.counters: {gate}"
    return check


def scenarios(i, dump):
    """name -> (arguments, check, disturb); i varies the place from repeat to repeat."""
    h, r = f"h{i % 4 + 1}", (i * 3 + 1) % 4
    h2, r2 = f"h{(i + 2) % 4 + 1}", (r + 1 + i) % 4
    lab = ["--lab", "4x4"]
    return {
        "healthy": (lab, proven(dump, exactly()), None),
        "two_kinds": (["--kinds", "2x4@200mbit,2x2@100mbit"], proven(dump, exactly()), None),
        "slow_send": (lab + ["--fault", f"slow:{h}:rail{r}:0.5:send"], proven(dump, exactly(("rail.slow", h, r, "send"))), None),
        "slow_receive": (lab + ["--fault", f"slow:{h}:rail{r}:0.5:receive"], proven(dump, exactly(("rail.slow", h, r, "receive"))), None),
        "slow_both": (lab + ["--fault", f"slow:{h}:rail{r}:0.5:both"], proven(dump, exactly(("rail.slow", h, r, "both"))), None),
        "two_slow": (lab + ["--fault", f"slow:{h}:rail{r}:0.5:send", "--fault", f"slow:{h2}:rail{r2}:0.5:receive"],
                     exactly(("rail.slow", h, r, "send"), ("rail.slow", h2, r2, "receive")), None),
        "rail_down": (lab + ["--fault", f"down:{h}:rail{r}"], exactly(("rail.down", h, r, None)), None),
        "swapped": (lab + ["--fault", f"swap:{h}:rail2:rail3"], swapped(h, 2, 3), None),
        "missing": (lab + ["--fault", f"missing:{h}:rail{r}"], exactly(("nic.missing", h, r, None)), None),
        "rank_killed": (lab, died(h, r, dump), kill_in_mid_round(h, r)),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("railgauge")
    parser.add_argument("dump_samples")
    parser.add_argument("--repeats", type=int, default=10 if os.environ.get("RG_FULL") else 1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--first", type=int, default=0, help="number of the first repeat: it chooses the places")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: the lab needs root for network namespaces")
        return 77
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="railgauge-campaign-"))
    folder.mkdir(parents=True, exist_ok=True)
    tally, lock = {}, threading.Lock()

    def one(name, i):
        arguments, check, disturb = scenarios(i, options.dump_samples)[name]
        out = folder / f"{name}-{i}"
        shutil.rmtree(out, ignore_errors=True)
        run = Run([options.railgauge, "run", "quick", *arguments], out, disturb)
        report = run.report()
        wrong = check(run, report) if report else f"no report, exit {run.code}: {pathlib.Path(str(out) + '.log').read_text()[-300:]}"
        meta = (report or {}).get("meta", {})
        share = meta.get("payload_ns", 0) / meta["wall_ns"] if meta.get("wall_ns") else None
        with lock:
            tally.setdefault(name, []).append(wrong is None)
            shown = f", payload {share * 100:.0f} % of it" if share else ""
            print(f"{name} {i}: {'ok' if wrong is None else 'WRONG'} in {run.seconds:.1f} s{shown}{'' if wrong is None else ': ' + wrong}", flush=True)

    work = [(n, i) for i in range(options.first, options.first + options.repeats) for n in scenarios(0, "") if not options.only or n in options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in [pool.submit(one, n, i) for n, i in work]:
            job.result()
    for name, results in tally.items():
        print(f"{name}: {sum(results)} of {len(results)}")
    good = all(all(r) for r in tally.values())
    if good and not options.keep:
        shutil.rmtree(folder)
    else:
        print(f"kept: {folder}")
    return 0 if good and tally else 1


sys.exit(main())
