"""Each header compiles alone."""
import concurrent.futures
import pathlib
import subprocess
import sys

root, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
headers = sorted(p.relative_to(root).as_posix() for top in ("proto", "fabric", "workers", "orchestrator") for p in (root / top).rglob("*.h"))

def compile_alone(header):
    flags = subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True).stdout.split()
    run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-DFMT_HEADER_ONLY", "-I", str(root), "-I", str(build / "generated"), *flags, "-include",
                          header, "-x", "c++", "/dev/null"], cwd=root, capture_output=True, text=True)
    return header, run.returncode, run.stderr

with concurrent.futures.ThreadPoolExecutor(2) as pool:
    bad = [(h, e) for h, rc, e in pool.map(compile_alone, headers) if rc]
for header, error in bad:
    print(f"{header} does not compile alone:\n{error[:800]}")
print(f"{len(headers)} headers, {len(bad)} do not compile alone")
sys.exit(1 if bad or not headers else 0)
