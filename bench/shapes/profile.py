"""Each convolution of a list as a model of its own, timed by `frit profile`, beside the FMA peak.

usage: build/env/bin/python bench/shapes/profile.py [LIST] [--frit PROGRAM] [--runs N] [--json FILE]
The model is Conv + bias + Relu with random weights; caches are warm, unlike inside a network.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIELDS = "n c h w k r stride pad group dilation".split()


def read_list(path):
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words[0], dict(zip(FIELDS, map(int, words[1:]), strict=True))


def model_of(shape):
    random = np.random.default_rng(1)
    c, k, r = shape["c"] // shape["group"], shape["k"], shape["r"]
    weights = random.standard_normal((k, c, r, r)) * np.sqrt(2.0 / (c * r * r))
    constants = [numpy_helper.from_array(weights.astype(np.float32), "w"),
                 numpy_helper.from_array(random.standard_normal(k).astype(np.float32), "b")]
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["conv"], strides=[shape["stride"]] * 2,
                              pads=[shape["pad"]] * 4, group=shape["group"],
                              dilations=[shape["dilation"]] * 2),
             helper.make_node("Relu", ["conv"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [shape[a] for a in "nchw"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "convolution", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def profile(shape, frit, runs, folder):
    path = folder / "model.onnx"
    onnx.save(model_of(shape), path)
    told = subprocess.run([frit, "-q", "--json", "profile", path, "--runs", str(runs)], check=True,
                          capture_output=True, text=True).stdout
    kernels = json.loads(told)["runs"]
    kernel = max(kernels, key=lambda kernel: kernel["flop"])
    copies = sum(other["median_ns"] for other in kernels if other is not kernel)
    return kernel, copies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("list", nargs="?", type=pathlib.Path,
                        default=ROOT / "bench" / "shapes" / "conv_classes.txt")
    parser.add_argument("--frit", default=ROOT / "build" / "dev" / "apps" / "frit")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    rows = []
    print(f"{'class':<17} {'ms':>8} {'MAD':>7} {'peak%':>6}  schedule, shape")
    with tempfile.TemporaryDirectory() as scratch:
        for name, shape in read_list(options.list):
            kernel, copies = profile(shape, options.frit, options.runs, pathlib.Path(scratch))
            rows.append({"class": name, **kernel, "layout_copies_ns": copies})
            print(f"{name:<17} {kernel['median_ns'] * 1e-6:8.4f} {kernel['mad_ns'] * 1e-6:7.4f} "
                  f"{100 * kernel['of_peak']:6.1f}  {kernel['schedule']} {kernel['shape']}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"schema": "frit.shapes/1", "runs": rows}, indent=1))


if __name__ == "__main__":
    main()
