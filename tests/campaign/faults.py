"""What goes wrong while a run measures, in a real 4x4 lab: ranks, hosts, NICs and the orchestrator that die or stop, strangers at the
control port, hosts that are not like the others, a disk that is full. Every run must end by itself and say what happened, and nothing else.

faults.py RAILGAUGE DUMP_SAMPLES [--repeats N] [--only SCENARIO] [--jobs N] [--keep DIR]
A line a run; then a line a scenario; exit 1 if any run was wrong, 77 (skipped) without root.
"""
import errno
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import textwrap

from lab_runs import (Scenario, descendants, exactly, in_mid_round, kill_in_mid_round, place, rank_of, run_scenarios, samples_of, send)

LAB = ["--lab", "4x4"]


# --- what a check can ask -------------------------------------------------------------------------------------------------------------

def codes_at(report):
    return sorted(place(f)[:3] for f in report["findings"])


def only(wanted, verdict):
    """The findings are exactly these (code, node, rail), in this verdict, once the disturbance has happened."""
    def check(run, report):
        if run.disturbed is False:
            return "the disturbance could not be made"
        if codes_at(report) != sorted(wanted):
            return f"found {codes_at(report)}, expected {wanted}"
        return None if report["verdict"] == verdict else f"verdict {report['verdict']}, expected {verdict}"
    return check


def says(*words, code=2):
    """The run ended with this exit code and its last line has these words."""
    def check(run, _):
        last = run.said().decode(errors="replace").strip().splitlines()[-1:]
        absent = [w for w in words if not last or w not in last[0]]
        return f"exit {run.code}, {absent} not in {last}" if absent or run.code != code else None
    return check


def stopped(words):
    """The report says why the run ended early."""
    def check(_, report):
        return None if words in report["meta"]["stopped"] else f"stopped: {report['meta']['stopped']!r}"
    return check


def readable(railgauge):
    """What is in the run's folder can be read and judged again, to the same verdict."""
    def check(run, _):
        again = subprocess.run([railgauge, "report", str(run.out)], capture_output=True, text=True, check=False)
        return None if again.returncode == run.code else f"railgauge report: exit {again.returncode}, not {run.code}: {again.stderr}"
    return check


def both(*checks):
    return lambda run, report: next((wrong for wrong in (check(run, report) for check in checks) if wrong), None)


# --- hosts that are not like the others -----------------------------------------------------------------------------------------------

def site_with_wrapper(folder, name, railgauge, host, script):
    """Options that start the rank program through a wrapper; for one host (or *) it does what script says (RANK: the real program)."""
    rank = pathlib.Path(railgauge).parent / "railgauge-rank"
    place_of = folder / f"{name}-wrapper"
    place_of.mkdir(exist_ok=True)
    wrapper = place_of / "railgauge-rank"
    wrapper.write_text(textwrap.dedent(f"""\
        #!/bin/bash
        RANK={rank}
        node= probe=no previous=
        for word; do
          [ "$previous" != --node ] || node=$word
          [ "$word" != --probe ] || probe=yes
          previous=$word
        done
        if [[ $node = {host} ]]; then
        {script}
        fi
        exec "$RANK" "$@"
        """))
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    site = place_of / "site.yaml"
    site.write_text(f"rank_path: {wrapper}\n")
    return ["--site", str(site)]


def other_build(folder, name, railgauge):
    """A copy of the rank program that says it is of another build: the id is in the code, whole or eight bytes at a time."""
    rank = pathlib.Path(railgauge).parent / "railgauge-rank"
    said = subprocess.run([rank, "--version"], capture_output=True, check=True).stdout
    build = re.search(rb"build (\S+)", said).group(1)
    program = rank.read_bytes()
    for at in range(0, len(build) - 7):
        program = program.replace(build[at:at + 8], b"x" * 8)
    copy = folder / f"{name}-other-build"
    copy.write_bytes(program)
    copy.chmod(0o755)
    if subprocess.run([copy, "--version"], capture_output=True, check=True).stdout == said:
        raise RuntimeError(f"the build id {build!r} could not be changed in {rank}")
    return copy


# --- strangers at the control port ----------------------------------------------------------------------------------------------------

STRANGER = r"""
import socket, struct, sys
host, port = sys.argv[1].rsplit(":", 1)
def connect():
    s = socket.create_connection((host, int(port)), 5)
    s.settimeout(5)
    return s
def frame(payload):
    return b"RGC1" + struct.pack("<I", len(payload)) + payload
def field(number, kind, payload):
    return bytes([number << 3 | kind]) + payload
def hello(token):
    text = lambda n, b: field(n, 2, bytes([len(b)]) + b)
    inner = text(1, token) + text(2, b"x") + field(3, 0, b"\x02") + text(4, b"h1") + field(5, 0, b"\x00")
    return frame(field(1, 2, bytes([len(inner)]) + inner))
s = connect()
s.sendall(hello(b"not the token of this run"))
s.recv(4096)
s = connect()
s.sendall(b"RGC1" + struct.pack("<I", 0xffffffff) + b"x" * 4096)
s = connect()
s.sendall(b"GET / HTTP/1.1\r\n\r\n")
many = [connect() for _ in range(40)]
import time
time.sleep(3)
"""


def environment_of(pid):
    """Variables a process was started with."""
    lines = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return dict(line.decode(errors="replace").split("=", 1) for line in lines if b"=" in line)


def strangers(run):
    rank = rank_of(run, "h1", 0)
    address = environment_of(rank)["RAILGAUGE_CONTROL"]
    done = subprocess.run(["nsenter", "--target", str(rank), "--net", sys.executable, "-c", STRANGER, address], capture_output=True, check=False)
    return done.returncode == 0


def refused(dump):
    def check(run, _):
        texts = [r["text"] for r in samples_of(run, dump) if r["kind"] == "event" and r["status"] == "refused"]
        absent = [w for w in ("wrong token", "frame", "more connections than nodes") if not any(w in t for t in texts)]
        return f"not refused: {absent}; events {texts[:6]}" if absent else None
    return check


# --- disturbances ---------------------------------------------------------------------------------------------------------------------

def kill_host(host):
    """Every process on the host at once, as when its power goes."""
    def act(run):
        rails = [rank_of(run, host, rail) for rail in range(4)]
        if None in rails:
            return False
        there = os.readlink(f"/proc/{rails[0]}/ns/net")
        doomed = []
        for pid in descendants(run.process.pid):
            try:
                if os.readlink(f"/proc/{pid}/ns/net") == there:
                    doomed.append(pid)
            except OSError:
                pass
        return all([send(pid, signal.SIGKILL) for pid in doomed])
    return in_mid_round(act)


def interface_down(host, rail):
    def act(run):
        pid = rank_of(run, host, rail)
        return pid is not None and subprocess.run(["nsenter", "--target", str(pid), "--net", "ip", "link", "set", f"rail{rail}", "down"],
                                                  check=False).returncode == 0
    return in_mid_round(act)


def fill(folder):
    """Writes to the run's folder, as the run sees it, until nothing more fits."""
    def act(run):
        try:
            with open(f"/proc/{run.process.pid}/root{folder}/filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))
        except OSError as error:
            return error.errno == errno.ENOSPC
    return in_mid_round(act)


def measured_once(dump):
    """At most the round in which the first launch was killed has rows of both, and that one had not been complete."""
    def check(run, _):
        rows = {}
        for r in samples_of(run, dump):
            if r["kind"] == "flow" and r["side"] == "receive" and r["status"] == "ok":
                rows.setdefault(r["round"], []).append((r["source_node"], r["target_node"], r["rail"]))
        again = {n: flows for n, flows in rows.items() if len(set(flows)) < len(flows)}
        whole = [n for n, flows in again.items() if len(flows) >= 2 * len(set(flows))]
        return f"measured twice: rounds {sorted(again)}, whole: {whole}" if len(again) > 1 or whole else None
    return check


def scenarios(i, options, folder):
    """name -> Scenario; i varies the place from repeat to repeat."""
    h, r = f"h{i % 4 + 1}", (i * 3 + 1) % 4
    dump = options.dump_samples

    def unlike(name, script, check, host=h, report=False):
        return Scenario(LAB + site_with_wrapper(folder, f"{name}-{i}", options.railgauge, host, script), check, report=report)

    scratch = (folder / f"scratch-{i}").absolute()
    scratch.mkdir(exist_ok=True)
    with_small_scratch = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@"', str(scratch)]

    return {
        "rank_stopped": Scenario(LAB, only([("rank.hung", h, r)], "FAIL"), kill_in_mid_round(h, r, signal.SIGSTOP)),
        "host_killed": Scenario(LAB, only([("node.lost", h, None)], "FAIL"), kill_host(h)),
        "interface_down": Scenario(LAB, only([("rail.unreachable", h, r)], "FAIL"), interface_down(h, r)),
        "strangers": Scenario(LAB, both(only([], "PASS"), refused(dump)), in_mid_round(strangers)),
        "orchestrator_killed": Scenario(LAB + ["--fault", f"slow:{h}:rail{r}:0.5:send"],
                                        both(exactly(("rail.slow", h, r, "send")), measured_once(dump)),
                                        in_mid_round(lambda run: send(run.process.pid, signal.SIGKILL)), resume=True),
        "scratch_full": Scenario(LAB, both(only([], "INCONCLUSIVE"), stopped("No space left on device"), readable(options.railgauge)), fill(scratch),
                                 {"TMPDIR": str(scratch)}, with_small_scratch),
        "silent_host": unlike("silent_host", "[ $probe = no ] || exec sleep 600", only([("node.silent", h, None)], "FAIL"), report=True),
        "other_build": unlike("other_build", f"RANK={other_build(folder, f'other_build-{i}', options.railgauge)}", says("of build", h)),
        "other_environment": unlike("other_environment", "export UCX_RNDV_THRESH=12345", says("UCX_RNDV_THRESH", h)),
        "singletons": unlike("singletons", 'for v in $(compgen -e | grep -E "^(OMPI_|PMIX_|PRTE_)"); do unset $v; done', says("instead of one world"),
                             host="*"),
    }


if __name__ == "__main__":
    sys.exit(run_scenarios(scenarios))
