#!/usr/bin/env bash
# Installs what frit needs, and nothing twice.
#
#   cmake/bootstrap.sh [--peers] [--export]
#
# From packages.txt the Debian packages (apt-get, with sudo when not root); from requirements*.txt,
# pinned and hash-checked, a Python environment in build/env (Halide, ONNX, cmake, ninja); from
# requirements-models.txt the demo's models in build/models (checked against models.sha256).
# --peers adds build/peers: ONNX Runtime, OpenVINO and MNN, for benchmarks and oracle tests.
# --export adds build/export: torch and torchvision (500 MB to fetch), for bench/models/make.sh.
# Each part is skipped when its stamp in build/stamps matches its lists: a second call takes < 1 s.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "bootstrap: $*" >&2; }
die() { say "$*"; exit 1; }

# stamped NAME PROOF LIST...: true when part NAME was made from these lists and PROOF is there.
stamped() {
  local name=$1 proof=$2; shift 2
  [ -e "$proof" ] && [ -f "build/stamps/$name" ] &&
    [ "$(cat "build/stamps/$name")" = "$(cat "$@" | sha256sum)" ]
}
stamp() {
  local name=$1; shift
  mkdir -p build/stamps
  cat "$@" | sha256sum > "build/stamps/$name"
}

install_packages() {
  local wanted missing=() sudo=()
  mapfile -t wanted < cmake/packages.txt
  local installed
  installed=" $(dpkg-query -W -f '${binary:Package} ${db:Status-Abbrev}\n' 2>/dev/null |
    awk '$2 == "ii" { sub(/:.*/, "", $1); printf "%s ", $1 }') "
  for package in "${wanted[@]}"; do
    [[ $installed == *" $package "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get > /dev/null ||
    die "this system has no apt-get; install what cmake/packages.txt lists, by Debian's names: ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || die "not root and no sudo; as root: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" > /dev/null
}

# python_environment FOLDER REQUIREMENTS [PIP_OPTION...]: a virtual environment of exactly pinned wheels.
python_environment() {
  local folder=$1 requirements=$2; shift 2
  [ -x "$folder/bin/python" ] && "$folder/bin/python" -c 'import pip' 2> /dev/null ||
    python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
    --require-hashes "$@" -r "$requirements"
}

# build/env/bin/ptxas: the CUDA toolkit's, else the one of PyPI.
link_ptxas() {
  local found
  found=$(command -v ptxas || true)
  [ -n "$found" ] || found=${CUDA_HOME:-/usr/local/cuda}/bin/ptxas
  if [ ! -x "$found" ]; then
    [ "$(uname -m)" = x86_64 ] || { say "no ptxas: CUDA checks will be skipped"; return 0; }
    build/env/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
      --require-hashes -r cmake/requirements-cuda.txt
    found=$(echo "$PWD"/build/env/lib/python3*/site-packages/nvidia/cu13/bin/ptxas)
    chmod +x "$found"
  fi
  [ "$found" -ef build/env/bin/ptxas ] || ln -sf "$found" build/env/bin/ptxas
}

models_right() { (cd build/models 2> /dev/null && sha256sum --quiet -c - 2> /dev/null) < cmake/models.sha256; }

extract_models() {
  models_right && return 0
  local wheels=build/wheels
  mkdir -p build/models "$wheels"
  build/env/bin/python -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes -d "$wheels" -r cmake/requirements-models.txt
  build/env/bin/python - "$wheels"/rapidocr_onnxruntime-*.whl build/models << 'PYTHON'
import pathlib, sys, zipfile
wheel, folder = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
for name in wheel.namelist():
    if name.endswith(".onnx"):
        (folder / pathlib.PurePosixPath(name).name).write_bytes(wheel.read(name))
PYTHON
  rm -r "$wheels"
  models_right || die "the models of the wheel differ from cmake/models.sha256"
}

main() {
  local peers=no export=no
  for argument in "$@"; do
    case $argument in
      --peers) peers=yes ;;
      --export) export=yes ;;
      *) die "unknown argument '$argument'; usage: cmake/bootstrap.sh [--peers] [--export]" ;;
    esac
  done
  [[ $(uname -s) == Linux ]] || die "Linux only"
  install_packages
  local script=cmake/bootstrap.sh
  local env=(cmake/requirements.txt cmake/requirements-cuda.txt $script)
  if ! stamped env build/env/bin/ninja "${env[@]}"; then
    say "making build/env"
    python_environment build/env cmake/requirements.txt
    link_ptxas
    stamp env "${env[@]}"
  fi
  local models=(cmake/requirements-models.txt cmake/models.sha256 $script)
  if ! stamped models build/models/ch_PP-OCRv4_rec_infer.onnx "${models[@]}"; then
    say "making build/models"
    extract_models
    stamp models "${models[@]}"
  fi
  if [ $peers = yes ] && ! stamped peers build/peers/bin/python cmake/requirements-peers.txt $script; then
    say "making build/peers"
    python_environment build/peers cmake/requirements-peers.txt
    stamp peers cmake/requirements-peers.txt $script
  fi
  local torch=(cmake/requirements-export.txt bench/models/cuda_stubs.py $script)
  if [ $export = yes ] && ! stamped export build/export/bin/python "${torch[@]}"; then
    say "making build/export"
    python_environment build/export cmake/requirements-export.txt --no-deps
    build/export/bin/python bench/models/cuda_stubs.py >&2
    stamp export "${torch[@]}"
  fi
}
main "$@"
