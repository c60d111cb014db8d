"""Style that a machine can check: length, banned words, shells, sleeps in unit tests, a README in each top-level folder. Exit 1 on any breach."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
CODE = (".cc", ".h", ".py", ".sh", ".cmake")
MAX_LINES, MAX_COLUMNS = 400, 160
BANNED = [
    (r"\bTODO\b|\bFIXME\b|\bXXX\b", "unfinished work belongs in an issue"),
    (r"\bstd::system\(|\bpopen\(|shell=True", "argument vectors, never a shell"),
    (r"\bclass \w*(Manager|Helper|Util|Utils|Info)\b", "says nothing: name what it does"),
    (r"using namespace std", "no"),
]

def files():
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        names = out.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*") if "build/" not in p.as_posix()]
    return [ROOT / n for n in names if (ROOT / n).is_file() and (n.endswith(CODE) or n in ("check", "quickstart"))]

def main():
    breaches = []
    for file in files():
        path = file.relative_to(ROOT).as_posix()
        if path.startswith("tests/style/"):
            continue
        lines = file.read_text().splitlines()
        if len(lines) > MAX_LINES:
            breaches.append(f"{path}: {len(lines)} lines, at most {MAX_LINES}: is it still one idea?")
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_COLUMNS:
                breaches.append(f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
            for pattern, why in BANNED:
                if re.search(pattern, line):
                    breaches.append(f"{path}:{number}: {pattern.split('|')[0]}: {why}")
            if path.startswith("tests/unit/") and re.search(r"sleep_for|\busleep\(|\bsleep\(", line):
                breaches.append(f"{path}:{number}: a unit test may not sleep; fake the clock")
        if path.endswith(".h") and "#pragma once" not in lines[:40]:
            breaches.append(f"{path}: no #pragma once")
    for top in sorted({f.relative_to(ROOT).parts[0] for f in files() if len(f.relative_to(ROOT).parts) > 1}):
        if not (ROOT / top / "README.md").is_file():
            breaches.append(f"{top}/: no README.md")
    print("\n".join(breaches))
    print(f"{len(files())} files, {len(breaches)} breaches")
    return 1 if breaches else 0

sys.exit(main())
