"""Who may include whom (DESIGN section 3), and which outside header may appear where. Prints every breach; exit 1 if any."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
# folder -> folders it may include, itself included; the longest matching prefix counts.
MAY = {
    "proto": {"proto"},
    "fabric": {"proto", "fabric"},
    "workers/main": {"proto", "fabric/inventory", "fabric/cases", "workers", "collectives"},
    "workers": {"proto", "fabric/inventory", "fabric/cases", "workers"},
    "collectives": {"proto", "fabric/inventory", "fabric/cases", "workers", "collectives"},
    "slurm": {"proto", "slurm"},
    "orchestrator": {"proto", "fabric", "slurm", "orchestrator", "workers/probe/doctor.h", "workers/probe/probe.h"},
}
# fabric's pure parts must not know the judgement above them.
NEVER = {"fabric/inventory": {"fabric/diagnose", "fabric/report"}, "fabric/cases": {"fabric/diagnose", "fabric/report"},
         "fabric/expect": {"fabric/diagnose", "fabric/report"}, "fabric/diagnose": {"fabric/report"}}
# outside header -> the folders or files that wrap it.
WRAPPED = {
    r"mpi\.h": ["workers/main/mpi_world"],
    r"ucp/.*|ucs/.*|uct/.*": ["workers/engines/ucx/"],
    r"hwloc.*": ["workers/probe/"],
    r"asio.*": ["orchestrator/control/"],
    r".*\.pb\.h": ["proto/", "orchestrator/control/", "orchestrator/session", "orchestrator/probe_stage.cc", "orchestrator/probe_stage", "workers/rounds/leader", "workers/main/"],
    r"yaml-cpp/.*": ["orchestrator/"],
    r"CLI/.*": ["orchestrator/"],
    r"nlohmann/.*": ["proto/json.cc"],
    r"zstd\.h|xxhash\.h": ["proto/", "workers/", "fabric/inventory/"],
    r"nccl\.h|cuda.*\.h|infiniband/.*|sqlite3\.h": [],
}

def longest(table, path):
    hits = [k for k in table if path == k or path.startswith(k + "/")]
    return max(hits, key=len) if hits else None

def main():
    breaches, seen = [], 0
    for file in sorted(p for top in ("proto", "fabric", "workers", "collectives", "slurm", "orchestrator") for p in (ROOT / top).rglob("*")
                       if p.suffix in (".cc", ".h")):
        seen += 1
        path = file.relative_to(ROOT).as_posix()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            m = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
            if not m:
                continue
            header = m.group(1)
            if re.match(r"(proto|fabric|workers|collectives|slurm|orchestrator)/", header) and not header.endswith((".pb.h", ".inc")):
                allowed = MAY[longest(MAY, path)]
                if not any(header == a or header.startswith(a + "/") for a in allowed):
                    breaches.append(f"{path}:{number}: may not include {header}")
                for never in NEVER.get(longest(NEVER, path) or "", ()):
                    if header.startswith(never + "/"):
                        breaches.append(f"{path}:{number}: may not include {header}")
            for pattern, places in WRAPPED.items():
                if re.fullmatch(pattern, header) and not any(path.startswith(p) for p in places):
                    breaches.append(f"{path}:{number}: {header} belongs only in {places or 'no file yet'}")
    print("\n".join(breaches))
    print(f"{seen} files, {len(breaches)} breaches")
    return 1 if breaches or seen < 10 else 0

sys.exit(main())
