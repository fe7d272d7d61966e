"""Writes the models of the onnx package's node cases, those of at most 4 KB, as seeds.

usage: build/env/bin/python tests/fuzz/node_cases.py FOLDER
"""
import pathlib
import sys
import warnings

from onnx.backend.test.case.node import collect_testcases

MOST_BYTES = 4096


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")  # the cases divide by zero on purpose
    for case in collect_testcases(None):
        model = case.model.SerializeToString() if case.model else b""
        if 0 < len(model) <= MOST_BYTES:
            (folder / case.name).write_bytes(model)


main()
