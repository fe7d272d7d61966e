#!/usr/bin/env bash
# Sets up, builds and tests frit; the last line is "N passed, N failed" (", N skipped" may follow).
#
#   bash tests/run.sh           the fast set, and a seeded sample of the slow one (FRIT_SEED=n repeats it)
#   bash tests/run.sh --slow    every test; an interrupted run goes on where it stopped
#   bash tests/run.sh --asan    the tests named Hostile, built with the sanitizers
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
export PATH="$PWD/build/env/bin:$PATH"
cores=$(nproc)
folder=build/dev
options=()
if [ $mode = asan ]; then
  folder=build/asan
  options=(-DFRIT_SANITIZE=ON)
fi
echo "== building in $folder"
cmake -S . -B "$folder" -G Ninja "${options[@]}" > build/configure.log || { cat build/configure.log; exit 1; }
cmake --build "$folder" > build/build.log || { tail -50 build/build.log; exit 1; }

results=$folder/test-results
rm -rf "$results"
mkdir -p "$results"
junit=$PWD/$results/ctest.xml

export FRIT_SEED=${FRIT_SEED:-$(date +%s)}
echo "== testing (FRIT_SEED=$FRIT_SEED)"
slow=$folder/slow-results
case $mode in
  asan) hostile=(-L hostile) ;;
  *) hostile=() ;;
esac
ctest --test-dir "$folder" -j "$cores" "${hostile[@]}" --output-junit "$junit" > "$results/ctest.log" 2>&1 || true
case $mode in
  fast) python tests/slow.py "$folder" --sample 2 --seed "$FRIT_SEED" ;;
  slow) python tests/slow.py "$folder" ;;
  asan) slow= ;;
esac
python tests/count.py "$junit" "$results" $slow
