"""A fifth of the onnx package's node cases through the whole of frit: see conformance.py.

usage: onnx_cases_test.py BUILD_DIR
"""
import os
import subprocess
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance.py")
sys.exit(subprocess.run([sys.executable, SCRIPT, sys.argv[1], "--share", "5"]).returncode)
