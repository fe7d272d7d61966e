"""20,000 random operators in parts of 1,000: see random_operators.py.

usage: random_operators_slow_test.py BUILD_DIR --list | PART
PART is versions (every schema version of every operator) or from_1000, from_2000, …; the first 1,000
are in the fast set.
"""
import hashlib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARTS = range(1000, 20000, 1000)


def main():
    build, what = sys.argv[1], sys.argv[2]
    if what == "--list":
        files = sorted(HERE.glob("random_*.py"))
        files.append(pathlib.Path(build) / "tests" / "frit_run_model")
        key = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:12]
        print("versions", key)
        for first in PARTS:
            print(f"from_{first}", key)
        return 0
    part = (["--versions", "--count", "8"] if what == "versions" else
            ["--first", what[len("from_"):], "--count", "1000"])
    command = [sys.executable, HERE / "random_operators.py", build, *part]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
