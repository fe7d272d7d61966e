"""Writes a small model (convolution, relu) and the sum of its output for main.c's input.

usage: small_model.py MODEL.onnx     prints the sum, by plain loops in double
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = ((np.arange(8 * 3 * 9) * 37 % 101) / 101.0 - 0.5).astype(np.float32).reshape(8, 3, 3, 3)
bias = (np.arange(8) / 8.0 - 0.4).astype(np.float32)
graph = helper.make_graph(
    [helper.make_node("Conv", ["x", "w", "b"], ["c"], name="conv", pads=[1, 1, 1, 1]),
     helper.make_node("Relu", ["c"], ["y"], name="relu")],
    "small",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "h", "w"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, sys.argv[1])

x = ((np.arange(3 * 7 * 9) % 7) * 0.25 - 0.5).reshape(3, 7, 9)
padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
total = 0.0
for k in range(8):
    for row in range(7):
        for column in range(9):
            window = padded[:, row:row + 3, column:column + 3]
            total += max(0.0, float((window * weights[k]).sum() + bias[k]))
print(f"{total:.4f}")
