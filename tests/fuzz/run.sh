#!/usr/bin/env bash
# Runs the fuzz targets of build/fuzz, one after the other, each for SECONDS.
#
#   bash tests/fuzz/run.sh SECONDS [TARGET...]     TARGET: model, schedule, plan, npy, report (default: all)
#
# SECONDS 0 runs the seeds and the kept corpus only. New inputs are kept in build/fuzz/corpus/TARGET,
# findings in build/fuzz/findings. The last line of a target: runs, seconds, coverage. Exit code 1
# when there is a finding.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}; shift
targets=("$@"); [ ${#targets[@]} -gt 0 ] || targets=(model schedule plan npy report)
folder=$PWD/build/fuzz
programs=$folder/tests/fuzz
seeds=$folder/seeds
mkdir -p "$folder/findings"
# Tables that live as long as the program are no leaks.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1

make_seeds() {
  "$programs/frit_fuzz_seeds" "$seeds.new"
  "$programs/frit_fuzz_file_seeds" "$seeds.new"
  mkdir -p "$seeds.new/schedule"
  cp schedules/library/*.sched tests/schedules/error/*.sched "$seeds.new/schedule/"
  build/env/bin/python tests/fuzz/node_cases.py "$seeds.new/model" 2> /dev/null
  rm -rf "$seeds"
  mv "$seeds.new" "$seeds"
}
exec 9> "$folder/seeds.lock"
flock 9
{ [ "$seeds" -nt "$programs/frit_fuzz_seeds" ] &&
  [ "$seeds" -nt "$programs/frit_fuzz_file_seeds" ]; } || make_seeds
flock -u 9

# At most 1 GB in one piece and 3 GB in all, 25 seconds for one input.
run_target() {
  local name=$1 corpus=$folder/corpus/$1 log=$folder/$1.log limit=(-max_total_time="$seconds")
  mkdir -p "$corpus"
  [ "$seconds" != 0 ] || limit=(-runs=0)
  FRIT_FUZZ_DATA=$seeds/data "$programs/frit_fuzz_$name" "${limit[@]}" \
    -dict="$seeds/$name.dict" -artifact_prefix="$folder/findings/$name-" -malloc_limit_mb=1024 \
    -rss_limit_mb=3072 -timeout=25 -print_final_stats=1 -max_len=16384 \
    "$corpus" "$seeds/$name" > "$log" 2>&1
}

status=0
for name in "${targets[@]}"; do
  if run_target "$name"; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
    cover=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$folder/$name.log" | tail -1)
    echo "fuzz $name: $runs runs in $seconds s, $cover, no finding"
  else
    status=1
    echo "fuzz $name: FINDING, see $folder/$name.log"
    grep -E -m 5 'FINDING|ERROR|runtime error|SUMMARY|Test unit written' "$folder/$name.log" || true
  fi
done
exit $status
