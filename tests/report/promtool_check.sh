#!/usr/bin/env bash
# promtool_check.sh FILE.prom...: what the textfile collector will read, checked by Prometheus' own tool; no error and no lint. Exit code 77: no promtool.
set -u
command -v promtool > /dev/null || { echo "SKIP: promtool is not installed (package prometheus)"; exit 77; }
failed=0
for file in "$@"; do
  said=$(promtool check metrics < "$file" 2>&1) && [ -z "$said" ] && continue
  echo "FAILED: $file: $said"
  failed=1
done
# Canaries: it must see a label that leaves its quotes, and bad style.
printf '# HELP a_ratio A.\n# TYPE a_ratio gauge\na_ratio{node="x"y"} 1\n' | promtool check metrics > /dev/null 2>&1 && \
  { echo "FAILED: promtool takes anything"; failed=1; }
printf 'a_bits 1\n' | promtool check metrics > /dev/null 2>&1 && { echo "FAILED: promtool lints nothing"; failed=1; }
echo "$# files checked"
exit $failed
