#!/usr/bin/env bash
# Builds frit, compiles the PP-OCRv4 text recogniser with it, links the result into a plain C++
# program and reads the pictures of apps/pictures: text, confidence and time beside what is written
# there. Exit code 1 when one is read wrong.
#
#   bash apps/demo.sh [runs per picture, default 20]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=${1:-20}
bash cmake/bootstrap.sh
export PATH="$PWD/build/env/bin:$PATH"
folder=build/dev
echo "== building frit, then the recogniser with it"
cmake -S . -B $folder -G Ninja > build/configure.log || { cat build/configure.log; exit 1; }
# frit's own lines (progress, summary) reach the terminal; ninja's are kept for a failure.
ninja -C $folder frit > build/build.log || { tail -50 build/build.log; exit 1; }
ninja -C $folder ocr_line > build/build.log || { tail -50 build/build.log; exit 1; }
grep -E '^[0-9]+ nodes in|\.a$' build/build.log || true

echo "== reading apps/pictures, one thread, median of $runs runs each"
cd apps/pictures
mapfile -t pictures < <(cut -f1 lines.txt)
../../$folder/apps/ocr_line --bench "$runs" "${pictures[@]}" > ../../build/demo.tsv || true
awk -F'\t' '
  FNR == NR { got[$1] = $2; confidence[$1] = $3; ms[$1] = $4; next }
  {
    right = got[$1] == $2
    wrong += !right; total += ms[$1]; count++
    printf "%-6s %8.2f ms  %5.3f  %-14s %s\n", right ? "right" : "WRONG", ms[$1], confidence[$1], $1, got[$1]
    if (!right) printf "%31s  expected       %s\n", "", $2
  }
  END {
    printf "%d of %d lines right; mean %.2f ms a line\n", count - wrong, count, count ? total / count : 0
    exit wrong > 0 || count == 0
  }' ../../build/demo.tsv lines.txt
