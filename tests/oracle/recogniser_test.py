"""The compiled recogniser against ONNX Runtime on every picture: the text and the probabilities.

usage: recogniser_test.py BUILD_DIR
For each picture: apps/ocr_line must read what lines.txt says, and its class probabilities must
agree with ONNX Runtime's on a preprocessing of its own (ort_lines.py). The picture with the largest
difference is judged by the numerics contract too, against the double reference (frit verify).
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime

import ort_lines

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "build" / "models" / "ch_PP-OCRv4_rec_infer.onnx"
PICTURES = ROOT / "apps" / "pictures"
# Two float32 evaluations of this network differ by up to 1e-4 in a probability where it is unsure
# (measured on all pictures); a wrong tap or a missing bias shows from 1e-2 on.
TOLERANCE = 1e-3


def ocr_line(program, picture, scratch):
    logits = scratch / "logits.f32"
    line = subprocess.run([program, "--logits", logits, picture], check=True, capture_output=True,
                          text=True, encoding="utf-8").stdout
    return line.rstrip("\n").split("\t")[1], np.fromfile(logits, np.float32)


def main():
    build = pathlib.Path(sys.argv[1])
    program = build / "apps" / "ocr_line"
    if not program.exists():
        print("skipped: ocr_line is not built (ninja ocr_line)")
        return 77
    session = onnxruntime.InferenceSession(str(MODEL), providers=["CPUExecutionProvider"])
    wrong = 0
    worst_of_all = -1.0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name, text in ort_lines.expected_lines(PICTURES):
            x = ort_lines.model_input(PICTURES / name)
            expected = session.run(None, {"x": x})[0].ravel()
            got_text, got = ocr_line(program, PICTURES / name, scratch)
            worst = float(np.abs(got - expected).max())
            good = got_text == text and worst <= TOLERANCE
            wrong += not good
            if worst > worst_of_all:
                worst_of_all = worst
                np.save(scratch / "x.npy", x)
            print(f"{'ok   ' if good else 'WRONG'} {name} {got_text!r} largest difference {worst:.2e}")
        verify = subprocess.run(
            [build / "apps" / "frit", "verify", MODEL, "--shape", "x:1x3x48x320", "--threads", "2",
             "--input", f"x={scratch / 'x.npy'}", "--data", "random"])
        wrong += verify.returncode != 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
