"""Reads the pictures of apps/pictures with ONNX Runtime: are they decoded as lines.txt says?

usage: ort_lines.py MODEL.onnx [--pictures FOLDER] [--dump FOLDER]
Prints one line per picture (text, expected, mean confidence) and exits 1 when one differs.
--dump writes NAME.input.npy and NAME.logits.npy, with which frit's outputs are compared.
The preprocessing is PP-OCR's resize_norm_img, spelled in integers as apps/ocr_line does, so that
both feed the same bits.
"""
import argparse
import pathlib
import sys

import numpy as np
import onnxruntime
from PIL import Image

HEIGHT, WIDTH = 48, 320


def weights(length_in, length_out):
    """Per output index: left source index, right source index, weight of the right (of 2048)."""
    at = (np.arange(length_out) + 0.5) * (length_in / length_out) - 0.5
    left = np.floor(at).astype(np.int64)
    right_weight = np.floor((at - left) * 2048 + 0.5).astype(np.int64)
    last = length_in - 1
    return np.clip(left, 0, last), np.clip(left + 1, 0, last), right_weight


def resize(image, height, width):
    """Bilinear with half-pixel centres, as cv2.INTER_LINEAR: [h,w,c] u8 -> [height,width,c] u8."""
    image = image.astype(np.int64)
    left, right, wx = weights(image.shape[1], width)
    top, bottom, wy = weights(image.shape[0], height)
    wx, wy = wx[None, :, None], wy[:, None, None]
    rows = image[:, left] * (2048 - wx) + image[:, right] * wx
    total = rows[top] * (2048 - wy) + rows[bottom] * wy
    return ((total + (1 << 21)) >> 22).astype(np.uint8)


def model_input(path):
    """[1,3,48,320] f32: scaled to height 48, B,G,R, (v/255 - 0.5)/0.5, zeros on the right."""
    image = np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1]
    height, width = image.shape[:2]
    width = min(WIDTH, -(-HEIGHT * width // height))
    scaled = resize(image, HEIGHT, width).astype(np.float32)
    values = (scaled / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
    out = np.zeros((1, 3, HEIGHT, WIDTH), np.float32)
    out[0, :, :, :width] = values.transpose(2, 0, 1)
    return out


def characters(session):
    lines = session.get_modelmeta().custom_metadata_map["character"].split("\n")
    return ["", *lines[:6623], " "]


def decode(probabilities, names):
    """CTC, greedy: the best class of each step, repeats and blanks dropped; mean confidence."""
    best = probabilities.argmax(axis=1)
    kept = [step for step, c in enumerate(best) if c != 0 and (step == 0 or c != best[step - 1])]
    confidence = float(probabilities[kept, best[kept]].mean()) if kept else 0.0
    return "".join(names[best[step]] for step in kept), confidence


def expected_lines(folder):
    for line in (folder / "lines.txt").read_text(encoding="utf-8").splitlines():
        name, _, text = line.partition("\t")
        yield name, text


def main():
    here = pathlib.Path(__file__).resolve().parent
    arguments = argparse.ArgumentParser()
    arguments.add_argument("model")
    arguments.add_argument("--pictures", type=pathlib.Path,
                           default=here.parent.parent / "apps" / "pictures")
    arguments.add_argument("--dump", type=pathlib.Path)
    options = arguments.parse_args()
    session = onnxruntime.InferenceSession(options.model, providers=["CPUExecutionProvider"])
    names = characters(session)
    wrong = 0
    for name, text in expected_lines(options.pictures):
        x = model_input(options.pictures / name)
        y = session.run(None, {"x": x})[0]
        got, confidence = decode(y[0], names)
        wrong += got != text
        print(f"{'ok   ' if got == text else 'WRONG'} {name}  {confidence:.3f}  {got!r} {text!r}")
        if options.dump:
            options.dump.mkdir(parents=True, exist_ok=True)
            np.save(options.dump / f"{name}.input.npy", x)
            np.save(options.dump / f"{name}.logits.npy", y)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
