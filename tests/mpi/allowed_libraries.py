#!/usr/bin/env python3
"""railgauge-rank must start on any node: it may need libc, libstdc++ and MPI, and what MPI itself needs. Usage: PROGRAM"""
import re
import subprocess
import sys

ALLOWED = re.compile(r"(linux-vdso|ld-linux-x86-64|ld-linux-aarch64|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libmpi|libhwloc"
                     r"|libasan|libubsan)\.so[.0-9]*$")


def libraries(path):
    out = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        words = line.split()
        name = words[0].rsplit("/", 1)[-1]
        found[name] = words[2] if "=>" in words and len(words) > 2 else words[0]
    return found


mine = libraries(sys.argv[1])
mpi = {name for lib, path in mine.items() if re.match(r"lib(mpi|hwloc)\.so", lib) for name in libraries(path)}
if not any(lib.startswith("libmpi.so") for lib in mine):
    sys.exit(f"{sys.argv[1]}: needs no libmpi.so: this test looks at the wrong program")
foreign = sorted(lib for lib in mine if not ALLOWED.match(lib) and lib not in mpi)
if foreign:
    sys.exit(f"{sys.argv[1]} needs {', '.join(foreign)}: nodes need not have them; link statically or move it into a plug-in")
print(f"{len(mine)} libraries, all of libc, libstdc++ or MPI")
