"""What a careless command line or schedule must not destroy.

usage: careless_test.py BUILD_DIR
A schedule that leaves its buffers is refused by run and build, not only by check; no output is
written over the model.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OVERHANGING = """schedule 1
for conv2d
priority 1000
acc.compute_at(out, y)
acc.split(x, a, b, 1000000, RoundUp)
acc.update(0).split(x, e, f, 1000000, RoundUp)
"""
SURE_TO_FAIL = """schedule 1
for conv2d
priority 1000
acc.bound_storage(k, 1)
acc.compute_root()
"""


def model(path):
    weights = numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    node = helper.make_node("Conv", ["x", "w"], ["y"], "conv", pads=[1, 1, 1, 1])
    info = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [info("y", TensorProto.FLOAT, [1, 4, 8, 8])], [weights])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    proto.ir_version = 9
    onnx.save(proto, path)


def main():
    frit = pathlib.Path(sys.argv[1]).resolve() / "apps" / "frit"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FRIT_CACHE_DIR"] = os.path.join(folder, "cache")
        os.chdir(folder)
        model("m.onnx")
        os.mkdir("s")
        before = pathlib.Path("m.onnx").read_bytes()

        def expect(code, word, *words):
            done = subprocess.run([frit, *words], capture_output=True, text=True)
            if done.returncode != code or word not in done.stdout + done.stderr:
                print("WRONG", words, done.returncode, done.stderr[:600])
                sys.exit(1)

        for text, word in ((OVERHANGING, "sched-bounds"), (SURE_TO_FAIL, "guaranteed to fail")):
            pathlib.Path("s/a.sched").write_text(text)
            expect(3, word, "run", "m.onnx", "--input", "x=zero", "--schedules", "s")
            expect(3, word, "build", "m.onnx", "-o", "p", "--schedules", "s")
            expect(3, word, "check", "s/a.sched", "--model", "m.onnx", "--group", "conv2d_1")
        os.symlink("m.onnx", "link.onnx")
        for name in ("m.onnx", "link.onnx"):
            expect(2, "cli-output", "plan", "m.onnx", "-o", name)
            expect(2, "cli-output", "run", "m.onnx", "--input", "x=zero", "--output", f"y={name}")
        if pathlib.Path("m.onnx").read_bytes() != before:
            print("WRONG the model was written over")
            sys.exit(1)
    print("ok")


main()
