"""doc/operators.md is what `frit ops --markdown` prints.

usage: operators_page_test.py BUILD_DIR
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

printed = subprocess.run([pathlib.Path(sys.argv[1]) / "apps" / "frit", "ops", "--markdown"],
                         capture_output=True, text=True, check=True).stdout
if printed != (ROOT / "doc" / "operators.md").read_text():
    print("WRONG doc/operators.md is old: build/dev/apps/frit ops --markdown > doc/operators.md")
    sys.exit(1)
print("ok")
