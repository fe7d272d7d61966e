"""apps/own_operator: a program that registers an operator compiles and verifies a model with it.

usage: own_operator_test.py BUILD_DIR
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper


def model(path, cap):
    nodes = [helper.make_node("Relu", ["x"], ["r"], "relu"),
             helper.make_node("SoftCap", ["r"], ["y"], "cap", domain="com.example", cap=cap)]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 17])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 17])])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.example", 1)]
    proto = helper.make_model(graph, opset_imports=opsets)
    proto.ir_version = 9
    onnx.save(proto, path)


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(condition, what):
    if not condition:
        print("WRONG", what)
        sys.exit(1)


def main():
    apps = pathlib.Path(sys.argv[1]) / "apps"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FRIT_CACHE_DIR"] = os.path.join(folder, "cache")
        good, bad = os.path.join(folder, "good.onnx"), os.path.join(folder, "bad.onnx")
        model(good, 2.0)
        model(bad, -1.0)
        code, text = ask(apps / "frit", "plan", good)
        expect(code == 3 and "SoftCap" in text, f"frit itself refuses the operator: {code} {text}")
        code, text = ask(apps / "own_operator", "plan", good)
        expect(code == 0 and text.count("\ngroup ") + text.startswith("group ") == 1,
               f"Relu and SoftCap are one group: {code} {text}")
        code, text = ask(apps / "own_operator", "verify", "--groups", good)
        expect(code == 0, f"verify: {code} {text}")
        code, text = ask(apps / "own_operator", "plan", bad)
        expect(code == 3 and "cap is not above 0" in text, f"its refusal: {code} {text}")
    print("ok")


main()
