"""Gives the nine light_* networks of the onnx package random weights.

usage: build/peers/bin/python bench/models/fill_light.py LIGHT_FOLDER FOLDER [NAME...]

LIGHT_FOLDER holds the package's files, whose weights are one constant, written as ConstantOfShape
nodes: every output of theirs is 1/1000, which tells nothing of an engine's numerics. Here the graph
stays as it is but for those nodes, which become initializers: He-scaled weights corrected so that
each convolution's output has deviation 1 (as "all you need is a good init" does), batch norms with
scale near 1, bias near 0 and the statistics of what arrives, small biases. For that the network is
run node by node in ONNX Runtime on seeded noise. Same seed, same bytes. Then the whole file is run,
and the activations' range and the softmax are checked and printed.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper, numpy_helper

IMAGES = 2
LOGIT_STD = 2.0
ORDER_ONE = (0.02, 20.0)  # standard deviations allowed anywhere before the softmax


def rounded(values):
    """To eight bits of mantissa: the bytes do not depend on how a CPU orders its sums."""
    mantissa, exponent = np.frexp(np.asarray(values, np.float32))
    return np.ldexp(np.round(mantissa * 256) / 256, exponent).astype(np.float32)


def run_model(model, feeds):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(model.SerializeToString(), options,
                                   providers=["CPUExecutionProvider"])
    return [session.run(None, feed) for feed in feeds]


class Filler:
    """Walks a network in order; knows each value, one for each image; draws weights on arrival."""

    def __init__(self, model, seed):
        self.random = np.random.default_rng(seed)
        self.opset = model.opset_import[0].version
        graph = model.graph
        given = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
        self.filled = {n.output[0] for n in graph.node if n.op_type == "ConstantOfShape"}
        self.shapes = {n.output[0]: tuple(given[n.input[0]]) for n in graph.node
                       if n.op_type == "ConstantOfShape"}
        self.nodes = [n for n in graph.node if n.op_type != "ConstantOfShape"]
        for node in self.nodes:
            # Written out: MNN takes a missing axis for the last one, whatever the opset.
            if node.op_type == "Softmax" and not node.attribute:
                node.attribute.append(helper.make_attribute("axis", 1))
        self.users = {}
        for node in self.nodes:
            for name in node.input:
                self.users.setdefault(name, []).append(node)
        self.given = given
        self.weights = {}     # the new initializers
        self.reshaped = {}    # the name of a reshaped weight -> the weight's
        self.values = {}      # of each name a list, one for each image
        self.deviations = {}  # of each value computed from the input
        layers = [n for n in self.nodes if n.op_type in ("Conv", "Gemm")]
        self.last_layer = layers[-1].output[0]

    def shape(self, name):
        return self.shapes.get(name) or self.given[name].shape

    def value(self, name, image):
        if name in self.weights:
            return self.weights[name]
        return self.values[name][image] if name in self.values else self.given[name]

    def evaluate(self, node, changed=None):
        feeds = [{name: self.value(name, image) for name in node.input} for image in range(IMAGES)]
        for feed in feeds:
            feed.update(changed or {})
        info = helper.make_tensor_value_info
        inputs = [info(name, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                  for name, v in feeds[0].items()]
        graph = helper.make_graph([node], "node", inputs,
                                  [info(node.output[0], onnx.TensorProto.FLOAT, None)])
        model = helper.make_model(graph, ir_version=4,
                                  opset_imports=[helper.make_opsetid("", self.opset)])
        return [result[0] for result in run_model(model, feeds)]

    def normal(self, shape, mean, deviation):
        return self.random.normal(mean, deviation, shape).astype(np.float32)

    def fill_layer(self, node):
        """He scale, then the factor that gives the output the wanted deviation."""
        weight = self.reshaped.get(node.input[1], node.input[1])
        used = self.value(node.input[1], 0).shape if weight != node.input[1] else self.shape(weight)
        fan_in = np.prod(used[1:])
        self.weights[weight] = self.normal(self.shape(weight), 0, np.sqrt(2 / fan_in))
        if weight != node.input[1]:
            self.values[node.input[1]] = [self.weights[weight].reshape(used)] * IMAGES
        no_bias = {}
        for name in node.input[2:]:
            self.weights[name] = self.normal(self.shape(name), 0, 0.1)
            no_bias[name] = np.zeros_like(self.weights[name])
        wanted = LOGIT_STD if node.output[0] == self.last_layer else 1.0
        self.weights[weight] = self.weights[weight] * rounded(
            wanted / np.std(self.evaluate(node, no_bias)))
        if weight != node.input[1]:
            self.values[node.input[1]] = [self.weights[weight].reshape(used)] * IMAGES

    def fill_batch_norm(self, node):
        data, scale, bias, mean, variance = node.input
        arriving = np.stack(self.values[data])
        axes = (0, 1, *range(3, arriving.ndim))
        # In Caffe's style gamma and beta follow as a Mul and an Add, and these are 1 and 0.
        split = any(user.op_type == "Mul" for user in self.users[node.output[0]])
        channels = self.shape(scale)
        spread = 0.0 if split else 0.1
        self.weights[scale] = self.normal(channels, 1, spread)
        self.weights[bias] = self.normal(channels, 0, spread)
        self.weights[mean] = rounded(arriving.mean(axes, dtype=np.float64))
        self.weights[variance] = rounded(arriving.var(axes, dtype=np.float64) + 1e-4)

    def fill_other(self, node):
        if node.op_type == "Unsqueeze":  # gamma or beta of a batch norm before
            user = self.users[node.output[0]][0].op_type
            self.weights[node.input[0]] = self.normal(self.shape(node.input[0]), user == "Mul", 0.1)
        elif node.op_type == "Reshape" and node.input[0] in self.filled:
            self.weights[node.input[0]] = np.zeros(self.shape(node.input[0]), np.float32)
            self.reshaped[node.output[0]] = node.input[0]

    def walk(self, data_name, data_shape):
        self.values[data_name] = [self.normal(data_shape, 0, 1) for _ in range(IMAGES)]
        for node in self.nodes:
            if node.op_type in ("Conv", "Gemm"):
                self.fill_layer(node)
            elif node.op_type == "BatchNormalization":
                self.fill_batch_norm(node)
            else:
                self.fill_other(node)
            self.values[node.output[0]] = self.evaluate(node)
            if node.op_type not in ("Softmax", "Unsqueeze", "Reshape"):
                self.deviations[node.output[0]] = float(np.std(self.values[node.output[0]]))


def filled_model(model, filler, data):
    graph = onnx.GraphProto(name=model.graph.name)
    graph.node.extend(filler.nodes)
    graph.input.append(data)
    graph.output.extend(model.graph.output)
    used = {name for node in filler.nodes for name in node.input}
    for initializer in model.graph.initializer:
        if initializer.name in used and initializer.name not in filler.weights:
            graph.initializer.append(initializer)
    for name, values in filler.weights.items():
        graph.initializer.append(numpy_helper.from_array(values, name))
    # From IR version 4 on an initializer need not be an input too, and is then a constant.
    return helper.make_model(graph, ir_version=4, opset_imports=model.opset_import,
                             producer_name="frit bench/models/fill_light.py")


def check(name, model, filler, data_name):
    deviations = filler.deviations.values()
    feeds = [{data_name: image} for image in filler.values[data_name]]
    whole = [result[0].ravel() for result in run_model(model, feeds)]
    walked = [v.ravel() for v in filler.values[model.graph.output[0].name]]
    assert np.allclose(whole, walked, rtol=1e-2, atol=1e-5), "the whole file differs from its nodes"
    largest = max(np.max(out) for out in whole)
    if model.graph.node[-1].op_type != "Softmax":
        largest = max(1 / np.sum(np.exp(out - np.max(out))) for out in whole)
    print(f"{name}: {len(deviations)} layers, std {min(deviations):.2g} to {max(deviations):.2g}, "
          f"softmax largest {largest:.3g}", flush=True)
    assert ORDER_ONE[0] <= min(deviations) and max(deviations) <= ORDER_ONE[1], filler.deviations
    assert 0.002 < largest < 0.9, largest


def main():
    light, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = sorted(light.glob("light_*.onnx"))
    for seed, path in enumerate(files):
        if sys.argv[3:] and path.stem not in sys.argv[3:]:
            continue
        model = onnx.load(path)
        filler = Filler(model, seed)
        initialized = {i.name for i in model.graph.initializer}
        data = next(i for i in model.graph.input if i.name not in initialized)
        filler.walk(data.name, [d.dim_value for d in data.type.tensor_type.shape.dim])
        filled = filled_model(model, filler, data)
        check(path.stem, filled, filler, data.name)
        part = folder / f"{path.name}.part"
        onnx.save(filled, part)
        part.rename(folder / path.name)


if __name__ == "__main__":
    main()
