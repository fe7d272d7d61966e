#!/usr/bin/env bash
# Sets up, builds and tests frit; the last line is "N passed, N failed" (", N skipped" may follow).
#
#   bash tests/run.sh           the fast set, broken models under the sanitizers, and a seeded sample
#                               of the slow set (FRIT_SEED=n repeats it)
#   bash tests/run.sh --slow    every test, and a minute of each fuzz target (tests/fuzz); an
#                               interrupted run goes on where it stopped
#   bash tests/run.sh --asan    only the broken models under the sanitizers
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=fast
case "${1-}" in
  "") ;;
  --slow) mode=slow ;;
  --asan) mode=asan ;;
  *) echo "run.sh: unknown argument '$1'; see the head of tests/run.sh" >&2; exit 2 ;;
esac

bash cmake/bootstrap.sh --peers
bash apps/embed/fetch.sh
export PATH="$PWD/build/env/bin:$PATH"
export FRIT_SEED=${FRIT_SEED:-$(date +%s)}

# build FOLDER TARGETS OPTIONS...
build() {
  local folder=$1 targets=$2; shift 2
  echo "== building $targets in $folder"
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja "$@" > "$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log"; exit 1; }
  # shellcheck disable=SC2086
  ninja -C "$folder" $targets > "$folder/build.log" 2>&1 || { tail -50 "$folder/build.log"; exit 1; }
}

# run FOLDER LABEL: its results lie in FOLDER/test-results.
run() {
  local results=$1/test-results
  rm -rf "$results"
  mkdir -p "$results"
  ctest --test-dir "$1" -L "$2" -j "$(nproc)" --output-junit "$PWD/$results/ctest.xml" \
    > "$results/ctest.log" 2>&1 || true
}

folders=()
if [ $mode != asan ]; then
  build build/dev "all ocr_line ocr embed"
  echo "== testing, FRIT_SEED=$FRIT_SEED"
  run build/dev fast
  if [ $mode = slow ]; then
    python3 tests/slow.py build/dev
  else
    python3 tests/slow.py build/dev --sample 2 --seed "$FRIT_SEED"
  fi
  folders+=(build/dev/test-results build/dev/slow-results)
fi
if [ $mode = slow ]; then
  build build/fuzz frit_fuzz -DFRIT_FUZZ=ON
  echo "== fuzzing each target for a minute"
  run build/fuzz fuzz
  folders+=(build/fuzz/test-results)
fi
build build/asan frit_hostile_test -DFRIT_SANITIZE=ON
echo "== broken models under the sanitizers"
run build/asan hostile
folders+=(build/asan/test-results)
python3 tests/count.py "${folders[@]}"
