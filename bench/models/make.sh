#!/usr/bin/env bash
# Makes the networks of networks.txt in build/models, each once; see README.md.
#
#   bash bench/models/make.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

made() { for name in "$@"; do [ -f "build/models/$name.onnx" ] || return 1; done; }

bash cmake/bootstrap.sh --peers
light=$(echo build/peers/lib/python3*/site-packages/onnx/backend/test/data/light)
missing=()
for file in "$light"/light_*.onnx; do
  name=$(basename "$file" .onnx)
  made "$name" || missing+=("$name")
done
if [ ${#missing[@]} -gt 0 ]; then
  build/peers/bin/python bench/models/fill_light.py "$light" build/models "${missing[@]}"
fi
exported=()
for name in mobilenet_v2 mobilenet_v3_small efficientnet_b0 resnet50 vit_ti_16; do
  made "$name" || exported+=("$name")
done
if [ ${#exported[@]} -gt 0 ]; then
  bash cmake/bootstrap.sh --export
  build/export/bin/python bench/models/export_torchvision.py build/models "${exported[@]}"
fi
(cd build/models && sha256sum --quiet --check -) < bench/models/networks.sha256 ||
  echo "make.sh: these differ from the ones that the figures of bench/results were measured on" \
       "(another CPU rounds other sums); results are checked against other engines either way" >&2
