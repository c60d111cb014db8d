"""What campaign.py and faults.py share: one run in a lab, who its ranks are, what its report and samples say, and the table at the end."""
import argparse
import concurrent.futures
import csv
import dataclasses
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

RUN_DEADLINE_S = 180


class Run:
    """One `railgauge run` and what it left. out: its folder; beside it OUT.log, what it printed."""

    def __init__(self, command, out, environment=None, disturb=None):
        self.out = out
        self.log_path = pathlib.Path(str(out) + ".log")
        self.begin = time.monotonic()
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                            env={**os.environ, **(environment or {})})
        self.disturbed = None
        thread = threading.Thread(target=lambda: setattr(self, "disturbed", disturb(self))) if disturb else None
        if thread:
            thread.start()
        try:
            self.code = self.process.wait(RUN_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.code = "hung"
        if thread:
            thread.join()
        self.seconds = time.monotonic() - self.begin

    def said(self):
        return self.log_path.read_bytes()

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


def in_mid_round(act):
    """act(run), well inside the screening; its answer is the disturbance's (True: done)."""
    def disturb(run):
        until = time.monotonic() + 60
        while time.monotonic() < until and run.process.poll() is None:
            if rank_of(run, "h1", 0) and b"round" in run.said():
                time.sleep(3.37)  # at no particular point of a round
                return act(run)
            time.sleep(0.05)
        return False
    return disturb


def send(pid, number):
    try:
        os.kill(pid, number)
        return True
    except (OSError, TypeError):
        return False


def kill_in_mid_round(host, rail, number=signal.SIGKILL):
    return in_mid_round(lambda run: send(rank_of(run, host, rail), number))


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


def samples_of(run, dump):
    """Rows of samples.rg as dictionaries."""
    text = subprocess.run([dump, run.out / "samples.rg"], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


@dataclasses.dataclass
class Scenario:
    arguments: list                # of `railgauge run quick`
    check: object                  # (run, report) -> what is wrong, or None
    disturb: object = None         # (run) -> anything; kept as run.disturbed
    environment: dict = dataclasses.field(default_factory=dict)
    prefix: list = dataclasses.field(default_factory=list)  # words before `railgauge`, as of unshare
    report: bool = True            # False: the run must end without one
    resume: bool = False           # then `--resume` the same folder, undisturbed; check sees that second run


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("railgauge")
    parser.add_argument("dump_samples")
    parser.add_argument("--repeats", type=int, default=10 if os.environ.get("RG_FULL") else 1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--first", type=int, default=0, help="number of the first repeat: it chooses the places")
    return parser.parse_args()


def play(scenario, railgauge, out):
    """Runs it; (what is wrong or None, the run, its report)."""
    shutil.rmtree(out, ignore_errors=True)
    command = [*scenario.prefix, railgauge, "run"]
    run = Run([*command, "quick", *scenario.arguments, "--out", str(out)], out, scenario.environment, scenario.disturb)
    if scenario.resume:
        first = run
        run = Run([*command, *scenario.arguments, "--resume", str(out)], out, scenario.environment)
        run.first = first
    report = run.report()
    if scenario.report != bool(report):
        return f"{'no' if scenario.report else 'a'} report, exit {run.code}: {run.said()[-300:]!r}", run, report
    if run.code == "hung":
        return f"had not ended after {RUN_DEADLINE_S} s", run, report
    return scenario.check(run, report), run, report


def run_scenarios(scenarios):
    """scenarios(i, options, folder) -> {name: Scenario}; i varies the places from repeat to repeat. Returns the exit code."""
    options = read_options()
    if os.geteuid() != 0:
        print("skipped: the lab needs root for network namespaces")
        return 77
    folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="railgauge-campaign-"))
    folder.mkdir(parents=True, exist_ok=True)
    tally, lock = {}, threading.Lock()

    # All before the first runs: a program must not be started while a thread that forks may still hold it open for writing.
    repeats = {i: scenarios(i, options, folder) for i in range(options.first, options.first + options.repeats)}

    def one(name, i):
        wrong, run, report = play(repeats[i][name], options.railgauge, folder / f"{name}-{i}")
        meta = (report or {}).get("meta", {})
        share = meta.get("payload_ns", 0) / meta["wall_ns"] if meta.get("wall_ns") else None
        with lock:
            tally.setdefault(name, []).append(wrong is None)
            shown = f", payload {share * 100:.0f} % of it" if share else ""
            print(f"{name} {i}: {'ok' if wrong is None else 'WRONG'} in {run.seconds:.1f} s{shown}{'' if wrong is None else ': ' + wrong}", flush=True)

    names = [n for n in repeats[options.first] if not options.only or n in options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in [pool.submit(one, n, i) for i in repeats for n in names]:
            job.result()
    for name, results in tally.items():
        print(f"{name}: {sum(results)} of {len(results)}")
    good = all(all(r) for r in tally.values())
    if good and not options.keep:
        shutil.rmtree(folder)
    else:
        print(f"kept: {folder}")
    return 0 if good and tally else 1
