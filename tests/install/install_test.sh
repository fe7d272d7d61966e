#!/usr/bin/env bash
# Installs frit into a temporary folder, moves it, and builds a user's project with find_package.
#   install_test.sh BUILD_DIR
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export PATH="$root/build/env/bin:$PATH"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" > "$scratch/log" || { cat "$scratch/log"; exit 1; }
mv "$scratch/first" "$scratch/moved"  # an install may be moved: nothing in it names its folder
expected=$("$root/build/env/bin/python" "$here/small_model.py" "$scratch/small.onnx")
{
  cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/moved" \
    -DSMALL_MODEL="$scratch/small.onnx" && cmake --build "$scratch/build"
} > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
got=$("$scratch/build/uses_frit")
echo "$got; expected sum $expected"
awk -v got="$got" -v expected="$expected" 'BEGIN {
  split(got, words, " ")
  difference = words[2] - expected
  exit !(words[4] == 0 && difference < 0.001 && difference > -0.001)
}'
