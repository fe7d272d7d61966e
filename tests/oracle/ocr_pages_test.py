"""apps/ocr on the pages of apps/pages: the text, against ONNX Runtime, and bad pages.

usage: ocr_pages_test.py BUILD_DIR
For each page: the lines must be those of its .txt, in order. For two of them here, and for each in
ocr_pages_slow_test.py: they must equal those of ort_pages.py, a pipeline of its own on ONNX Runtime,
in text, score and corners; and ONNX Runtime, fed with what went into each compiled network, must
give what came out. Then pages that are empty, small, missing, broken or too large.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np
from PIL import Image

import ort_pages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "apps" / "pages"
# As in recogniser_test.py: probabilities of two float32 evaluations differ by up to 1e-4.
PROBABILITY = 1e-3
# In pixels of the detector's map. The report rounds to 0.05 of the page's; a pixel that lies within
# the networks' difference of the threshold, which is rare, moves a side by up to one.
CORNER_PIXELS, MEDIAN_CORNER_PIXELS = 1.0, 0.1
SCORE = 0.03
THOROUGH = ("receipt", "askew")


class Failures(list):
    def expect(self, good, message):
        if not good:
            self.append(message)
            print("WRONG", message)


def ocr(program, *words):
    return subprocess.run([program, *map(str, words)], capture_output=True, timeout=300)


def check_networks(networks, folder, name, failures):
    """The tensors in `folder` against ONNX Runtime; returns the largest difference per model."""
    worst = {}
    for path in sorted(folder.glob("*.x.npy")):
        model = path.name[:3]
        expected = networks(model, np.load(path))
        got = np.load(path.with_name(path.name.replace(".x.", ".y.")))
        difference = float(np.abs(got - expected).max())
        worst[model] = max(worst.get(model, 0.0), difference)
        failures.expect(got.shape == expected.shape and difference <= PROBABILITY,
                        f"{name}: {path.name} differs by {difference:.2e}")
    failures.expect(set(worst) == {"det", "cls", "rec"}, f"{name}: dumped {sorted(worst)}")
    return worst


def check_against_ort(lines, page, networks, name, failures):
    """Each line of ort_pages.py has its twin; returns the median distance of corners."""
    others = ort_pages.read(networks, page)
    failures.expect(len(others) == len(lines), f"{name}: {len(others)} lines by ONNX Runtime")
    scale = max(1.0, max(page.shape[:2]) / ort_pages.SIDE)
    edge = [page.shape[1], page.shape[0]]
    nearest = []
    for other in others:
        corners = np.clip(other.corners, 0, edge)
        distances = [np.abs(np.array(line["box"]) - corners).max() for line in lines]
        twin = lines[int(np.argmin(distances))]
        nearest.append(min(distances) / scale)
        failures.expect(twin["text"] == other.text, f"{name}: {twin['text']!r}, by ONNX Runtime "
                        f"{other.text!r}")
        failures.expect(abs(twin["score"] - other.score) <= SCORE,
                        f"{name}: {other.text!r} scores {twin['score']} and {other.score:.4f}")
    median = float(np.median(nearest))
    failures.expect(max(nearest) <= CORNER_PIXELS and median <= MEDIAN_CORNER_PIXELS,
                    f"{name}: corners differ by {max(nearest):.2f}, median {median:.2f}")
    return median


def read_page(program, path, failures, *words):
    """The lines of the page, which must be those of its .txt."""
    name = path.stem
    expected = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    done = ocr(program, path, "--json", "-", "--threads", 2, *words)
    failures.expect(done.returncode == 0, f"{name}: {done.stderr.decode()}")
    report = json.loads(done.stdout)
    failures.expect(report["schema"] == "frit.ocr/1", name)
    lines = report["lines"]
    for got, text in zip([line["text"] for line in lines], expected):
        failures.expect(got == text, f"{name}: {got!r} where the page has {text!r}")
    failures.expect(len(lines) == len(expected), f"{name}: {len(lines)} lines of {len(expected)}")
    return lines


def check_page(program, path, networks, failures):
    """The page against ONNX Runtime."""
    with tempfile.TemporaryDirectory() as folder:
        lines = read_page(program, path, failures, "--dump", folder)
        numbers = check_networks(networks, pathlib.Path(folder), path.stem, failures)
    corners = check_against_ort(lines, ort_pages.load(path), networks, path.stem, failures)
    print(f"{path.stem}: {len(lines)} lines; networks differ by "
          + ", ".join(f"{model} {worst:.1e}" for model, worst in numbers.items())
          + f"; corners by {corners:.2f} pixels")


def check_angles(lines, failures):
    turned = [line["text"] for line in lines if abs(line["angle"]) > 170]
    failures.expect(turned == ["and this one on its head", "Turn the page around"],
                    f"lines upside down: {turned}")
    begins = next(line for line in lines if abs(line["angle"]) > 170)["box"]
    failures.expect(begins[0][0] > begins[1][0], "a turned line begins on the right")


def png(width, height, data):
    """A grey PNG with the chunk IDAT as given."""
    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body
                + struct.pack(">I", zlib.crc32(kind + body)))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def check_bad_pages(program, folder, failures):
    good = (PAGES / "upside_down.png").read_bytes()
    bad = {"missing.png": None, "text.png": b"no picture", "empty.png": b"",
           "cut.png": good[:len(good) // 2], "flipped.png": good[:900] + b"\xff\x00" + good[902:],
           "bomb.png": png(60000, 60000, zlib.compress(bytes(1000))),
           "wide.png": png(2**31 - 1, 1, zlib.compress(b"")),
           "short.png": png(100, 100, zlib.compress(bytes(50)))}
    for name, content in bad.items():
        path = folder / name
        if content is not None:
            path.write_bytes(content)
        done = ocr(program, path)
        failures.expect(done.returncode == 3 and done.stderr.startswith(b"ocr: ") and
                        name.encode() in done.stderr and not done.stdout,
                        f"{name}: exit code {done.returncode}, {done.stderr.decode()!r}")
    failures.expect(ocr(program).returncode == 2, "no page: exit code 2")
    page = PAGES / "upside_down.png"
    failures.expect(ocr(program, page, "--threads", 3).returncode == 2, "--threads 3: exit code 2")
    for option in ("--json", "--annotate", "--dump"):
        done = ocr(program, page, option, folder / "no" / "such.png")
        failures.expect(done.returncode == 5 and b"such" in done.stderr,
                        f"{option} into no folder: {done.returncode}, {done.stderr.decode()!r}")


def check_small_pages(program, folder, failures):
    """Pages without text give an empty list, whatever their size."""
    for size in [(640, 480), (1, 1), (1, 3000), (3000, 1), (7, 5)]:
        path = folder / "blank.png"
        Image.new("RGB", size, (255, 255, 255)).save(path)
        done = ocr(program, path, "--json", "-")
        failures.expect(done.returncode == 0 and json.loads(done.stdout)["lines"] == [],
                        f"blank page of {size}: {done.returncode}, {done.stdout!r}")


def check_outputs(program, folder, failures):
    page = PAGES / "upside_down.png"
    text = page.with_suffix(".txt").read_bytes()
    annotated, report = folder / "annotated.png", folder / "report.json"
    done = ocr(program, page, "--annotate", annotated, "--json", report, "--times")
    failures.expect(done.stdout == text and b"detector" in done.stderr, "text, and times on stderr")
    one = report.read_bytes()
    ocr(program, page, "--json", report, "--threads", 2)
    failures.expect(report.read_bytes() == one, "one and two threads give the same report")
    drawn, original = ort_pages.load(annotated).astype(int), ort_pages.load(page).astype(int)
    changed = float((np.abs(drawn - original).max(axis=2) > 0).mean())
    failures.expect(drawn.shape == original.shape and 0.005 < changed < 0.1,
                    f"the annotated page differs in {changed:.1%} of its pixels")


def main():
    program = pathlib.Path(sys.argv[1]) / "apps" / "ocr"
    if not program.exists():
        print("skipped: ocr is not built (ninja ocr)")
        return 77
    failures = Failures()
    networks = ort_pages.Networks(ROOT / "build" / "models")
    pages = sorted(PAGES.glob("*.png"))
    lines = {path.stem: read_page(program, path, failures) for path in pages}
    for name in THOROUGH:
        check_page(program, PAGES / f"{name}.png", networks, failures)
    failures.expect(len(pages) >= 6, "six pages at least")
    check_angles(lines["upside_down"], failures)
    with tempfile.TemporaryDirectory() as folder:
        check_bad_pages(program, pathlib.Path(folder), failures)
        check_small_pages(program, pathlib.Path(folder), failures)
        check_outputs(program, pathlib.Path(folder), failures)
    print(f"{len(pages)} pages, {sum(map(len, lines.values()))} lines, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
