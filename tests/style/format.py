"""clang-format has nothing to change. Contract headers with one-line describe() tables are listed in EXEMPT, with the reason there."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
# Field tables read better several to a line; clang-format would make a screen of each.
EXEMPT = {"fabric/inventory/node_facts.h", "fabric/inventory/inventory.h", "fabric/inventory/site.h", "fabric/cases/schedule.h", "fabric/diagnose/analysis.h",
          "proto/json.h", "proto/units.h"}
names = [p.relative_to(ROOT).as_posix() for top in ("proto", "fabric", "workers", "orchestrator", "tests") for p in (ROOT / top).rglob("*")
         if p.suffix in (".cc", ".h")]
names = sorted(n for n in names if n not in EXEMPT)
run = subprocess.run(["clang-format", "--dry-run", "-Werror", *names], cwd=ROOT, capture_output=True, text=True)
bad = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "error:" in line})
print("\n".join(f"{b}: run clang-format -i" for b in bad))
print(f"{len(names)} files, {len(bad)} not formatted")
sys.exit(1 if bad or not names else 0)
