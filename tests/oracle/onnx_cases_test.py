"""The onnx package's node cases through the whole of frit: import, passes, plan, kernels, run.

usage: onnx_cases_test.py BUILD_DIR [--all | NAME_PART]

A case is right, refused with a diagnostic about the model ("onnx-…"), or wrong; wrong ones fail the
test. Without --all, a fifth of the cases runs: those whose name hashes to it.
"""
import os
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from onnx_cases import NotInJson, Tool, cases_of_one_node, differs, tensor
import onnx

FAST_SHARE = 5


def ask(tool, case, inputs, folder):
    """The answer; inputs that must be known at build time are pinned as constants."""
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model, path)
    names = [i.name for i in case.model.graph.input]
    request = {
        "model": path,
        "inputs": {name: tensor(value) for name, value in zip(names, inputs)},
        "constants": [],
        "cache": os.path.join(folder, "cache"),
    }
    answer = tool.ask(request)
    for pinned in (names[1:], names):
        if answer.get("code") == "onnx-not-constant":
            answer = tool.ask({**request, "constants": pinned})
    return answer


def judge(case, tool, folder):
    """("right" | "refused" | "wrong", why)"""
    for inputs, outputs in case.data_sets:
        if any(isinstance(o, list) for o in outputs):
            return "refused", "sequences"
        try:
            answer = ask(tool, case, inputs, folder)
        except NotInJson:
            return "refused", "its values cannot be written as JSON"
        if "error" in answer:
            about_model = answer["code"].startswith("onnx-")
            return "refused" if about_model else "wrong", answer["error"]
        for got, want in zip(answer["outputs"], outputs):
            fault = differs(got, np.asarray(want), case, 1e-4)
            if fault:
                return "wrong", fault
    return "right", ""


def main():
    option = sys.argv[2] if len(sys.argv) > 2 else ""
    part = "" if option == "--all" else option
    tool = Tool(os.path.join(sys.argv[1], "tests", "frit_run_model"))
    counts = {"right": 0, "wrong": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of_one_node(part):
            if not option and zlib.crc32(case.name.encode()) % FAST_SHARE != 0:
                continue
            verdict, why = judge(case, tool, folder)
            counts[verdict] += 1
            if verdict == "wrong" or (verdict == "refused" and part):
                print(verdict, f"{case.name}: {why}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if counts["wrong"]:
        sys.exit(1)


main()
