"""Every page of apps/pages by apps/ocr against ONNX Runtime, as ocr_pages_test.py says.

usage: ocr_pages_slow_test.py BUILD_DIR --list | PAGE
"""
import hashlib
import pathlib
import sys

import ocr_pages_test
import ort_pages


def main():
    program = pathlib.Path(sys.argv[1]) / "apps" / "ocr"
    if sys.argv[2] == "--list":
        built = program.read_bytes() if program.exists() else b""
        for module in (ocr_pages_test, ort_pages):
            built += pathlib.Path(module.__file__).read_bytes()
        for path in sorted(ocr_pages_test.PAGES.glob("*.png")):
            print(path.stem, hashlib.sha256(built + path.read_bytes()).hexdigest()[:12])
        return 0
    if not program.exists():
        print("skipped: ocr is not built (ninja ocr)")
        return 77
    failures = ocr_pages_test.Failures()
    networks = ort_pages.Networks(ocr_pages_test.ROOT / "build" / "models")
    ocr_pages_test.check_page(program, ocr_pages_test.PAGES / f"{sys.argv[2]}.png", networks, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
