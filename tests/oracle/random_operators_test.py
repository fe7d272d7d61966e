"""The first 1,000 random operators: see random_operators.py.

usage: random_operators_test.py BUILD_DIR
"""
import os
import subprocess
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "random_operators.py")
sys.exit(subprocess.run([sys.executable, SCRIPT, sys.argv[1], "--count", "1000"]).returncode)
