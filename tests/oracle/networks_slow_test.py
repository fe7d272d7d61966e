"""A whole network as a package against the double reference, by the numerics contract.

usage: networks_slow_test.py BUILD_DIR --list | NAME [INPUTS]
NAME is one of bench/models/networks.txt; without its file in build/models the case is skipped
(bash bench/models/make.sh). The package is built, linked and run as a user would, without a pool and
with one at 1, 2, 3 and 8 threads (the same bits), on INPUTS inputs: noise, and for PP-OCR pictures of text too. Rule for
each output (NUMERICS.md):
  |y - ref| <= 2 max(|ORT - ref|, |naive32 - ref|) + 1e-6 max|ref|, in max norms.
Prints one row for each input. Exit code 1: a result is out of tolerance.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))

import engines as eng  # noqa: E402
import suite  # noqa: E402

SKIPPED = 77
INPUTS = 3
SLACK = 1e-6


def page(shape):
    """Pictures of text below each other, as PP-OCR's preprocessing scales them: to [-1,1]."""
    _, _, height, width = shape
    canvas = Image.new("RGB", (width, height), "white")
    y = 0
    for path in sorted((ROOT / "apps" / "pictures").glob("*.png")):
        picture = Image.open(path).convert("RGB")
        picture = picture.resize((min(picture.width * 48 // picture.height, width), 48))
        canvas.paste(picture, (0, y))
        y += 48
    pixels = np.asarray(canvas, np.float32).transpose(2, 0, 1)[None]
    return np.ascontiguousarray(pixels / 127.5 - 1)


def inputs_of(network, count):
    inputs = [np.random.default_rng(seed).standard_normal(network.shape).astype(np.float32)
              for seed in range(count)]
    return inputs + [page(network.shape)] if network.name.startswith("ppocr") else inputs


def key(programs, network):
    """Changes with what the case tests: this script, frit, the reference, the model."""
    state = network.path.stat() if network.path.exists() else None
    model = repr(state and (state.st_size, state.st_mtime_ns))
    return hashlib.sha256(programs + model.encode()).hexdigest()[:12]


def built_driver(network, build, threads, folder):
    """(program, report) of the network's package for at most so many threads."""
    subprocess.run([build / "apps" / "frit", "-q", "build", network.path, "-o", folder / "package",
                    "--name", network.name, "--shape", network.shape_text, "--threads",
                    str(threads)], check=True, stdout=subprocess.DEVNULL)
    report = eng.read_report(folder / "package")
    return eng.build_driver(folder / "package", report, folder), report


def frit_outputs(network, build, inputs, folder):
    """The outputs by name for each input of the package without a pool, or None where a package
    with one gives other bits at 1, 2, 3 or 8 threads."""
    every = [None] * len(inputs)
    for most, counts in ((1, (1,)), (8, (1, 2, 3, 8))):
        program, report = built_driver(network, build, most, folder)
        for number, data in enumerate(inputs):
            eng.store_inputs({network.input: data}, folder)
            for threads in counts:
                subprocess.run(eng.frit_command(program, report, threads, folder), check=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                outputs = eng.frit_outputs(report, folder)
                every[number] = every[number] or outputs
                for name, values in outputs.items():
                    if values.tobytes() != every[number][name].tobytes():
                        print(f"WRONG {network.name}: `{name}` has other bits at {threads} threads "
                              f"of {most} than without a pool")
                        return None
    return every


def reference_outputs(network, build, inputs, folder):
    for number, data in enumerate(inputs):
        data.tofile(folder / f"in{number}.bin")
    subprocess.run([build / "tests" / "frit_reference_model", network.path, network.shape_text,
                    folder, str(len(inputs))], check=True)
    return [[np.fromfile(folder / f"{kind}{number}.bin", np.float64) for kind in ("double", "naive")]
            for number in range(len(inputs))]


def judge(label, ours, ort, exact, naive):
    """One row; True when the rule holds. The four are flat, of one output."""
    if ours.shape != exact.shape:
        print(f"WRONG {label}: {ours.size} elements but the reference has {exact.size}")
        return False

    def off(values):
        return float(np.max(np.abs(values.astype(np.float64) - exact)))

    most = float(np.max(np.abs(exact)))
    tolerance = 2 * max(off(ort), off(naive)) + SLACK * most
    good = off(ours) <= tolerance  # false for NaN too
    print(f"{'ok   ' if good else 'WRONG'} {label:<36} {off(ours) / tolerance:5.2f} of tolerance; "
          f"off by frit {off(ours):.2e}, ORT {off(ort):.2e}, naive {off(naive):.2e} of {most:.3g}")
    return good


def run(build, network, count):
    if not network.path.exists():
        print(f"skipped: no {network.path.name} in build/models; bash bench/models/make.sh")
        return SKIPPED
    session = onnxruntime.InferenceSession(str(network.path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    inputs = inputs_of(network, count)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        every = frit_outputs(network, build, inputs, folder)
        if every is None:
            return 1
        references = reference_outputs(network, build, inputs, folder)
    good = True
    for number, (ours, (exact, naive)) in enumerate(zip(every, references)):
        ort = session.run(None, {network.input: inputs[number]})
        start = 0
        for name, peer in zip(names, ort):
            part = slice(start, start + peer.size)
            start = part.stop
            good &= judge(f"{network.name} input {number} `{name}`", ours[name].ravel(),
                          peer.ravel(), exact[part], naive[part])
    return 0 if good else 1


def main():
    build, what = pathlib.Path(sys.argv[1]), sys.argv[2]
    networks = suite.read_networks(str(ROOT / "bench" / "models" / "networks.txt"))
    if what == "--list":
        programs = b"".join(path.read_bytes() for path in (
            pathlib.Path(__file__), build / "apps" / "frit", build / "tests" / "frit_reference_model"))
        programs = hashlib.sha256(programs).digest()
        for network in networks:
            print(network.name, key(programs, network))
        return 0
    chosen = next(network for network in networks if network.name == what)
    try:
        return run(build, chosen, int(sys.argv[3]) if len(sys.argv) > 3 else INPUTS)
    except subprocess.CalledProcessError as failed:  # it has said why
        print(f"WRONG {what}: {pathlib.Path(failed.cmd[0]).name} ended with {failed.returncode}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
