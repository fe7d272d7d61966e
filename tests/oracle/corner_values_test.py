"""Corner values through every operator, one case of each of its forms: see corner_values.py.

usage: corner_values_test.py BUILD_DIR
"""
import os
import subprocess
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corner_values.py")
sys.exit(subprocess.run([sys.executable, SCRIPT, sys.argv[1], "--count", "1"]).returncode)
