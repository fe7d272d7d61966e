"""The node cases of the onnx package, for the tests that judge frit by them.

Importing this under a Python without the onnx package starts the script again under the project's
own (build/env), or ends it with 77: skipped.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    import onnx
except ImportError:
    python = os.path.join(ROOT, "build", "env", "bin", "python")
    if os.path.abspath(sys.executable) == python or not os.path.exists(python):
        print("no onnx package: skipped")
        sys.exit(77)
    os.execv(python, [python, *sys.argv])

import json
import subprocess
import warnings

import ml_dtypes
import numpy as np
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

NAMES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "bool": "bool",
    "float8_e4m3fn": "f8e4m3fn", "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2": "f8e5m2",
    "float8_e5m2fnuz": "f8e5m2fnuz", "float8_e8m0fnu": "f8e8m0", "float4_e2m1fn": "f4e2m1",
    "float6_e2m3fn": "f6e2m3", "float6_e3m2fn": "f6e3m2",
    "int4": "i4", "uint4": "u4", "int2": "i2", "uint2": "u2",
}

SIGNED = ("i4", "i2")  # a byte holds the value, sign extended

class NotInJson(Exception):
    """A value that the protocol cannot carry (strings, sequences, 4-bit types)."""


def number(value):
    value = float(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def tensor(array):
    if isinstance(array, (list, dict)) or array is None:  # sequences, maps, optionals
        raise NotInJson
    array = np.asarray(array)
    name = NAMES.get(str(array.dtype))
    if name is None:
        raise NotInJson
    flat = array.reshape(-1)
    if "f" in name:
        data = [number(v) for v in flat.astype(np.float64)]
    else:
        data = [int(v) for v in flat]
    return {"dtype": name, "dims": list(array.shape), "data": data}


def array_in(value):
    """An input or output of a case as an array: some cases hold TensorProtos."""
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)


def exact_tensor(array):
    """The bytes of an array; types of fewer than 8 bits have a byte for each element."""
    name = NAMES.get(str(array.dtype))
    if name is None:
        raise NotInJson(f"its values are of type {array.dtype}")
    if name in SIGNED:
        array = array.astype(np.int8)  # ml_dtypes leaves the high bits of a negative one open
    return {"dtype": name, "dims": list(array.shape),
            "hex": np.ascontiguousarray(array).tobytes().hex()}


def array_of(answer):
    """The array of a tensor with bytes."""
    name = next(numpy for numpy, ours in NAMES.items() if ours == answer["dtype"])
    dtype = np.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)
    if answer["dtype"] in SIGNED:
        wide = np.frombuffer(bytes.fromhex(answer["hex"]), np.int8)
        return wide.astype(dtype).reshape(answer["dims"])
    return np.frombuffer(bytes.fromhex(answer["hex"]), dtype).reshape(answer["dims"])


def attribute(proto):
    kinds = onnx.AttributeProto
    if proto.type == kinds.FLOAT:
        return {"float": number(proto.f)}
    if proto.type == kinds.FLOATS:
        return {"floats": [number(v) for v in proto.floats]}
    if proto.type == kinds.TENSOR:
        return {"tensor": tensor(numpy_helper.to_array(proto.t))}
    if proto.type == kinds.INT:
        return proto.i
    if proto.type == kinds.INTS:
        return list(proto.ints)
    if proto.type == kinds.STRING:
        return proto.s.decode()
    raise NotInJson


def differs(answer, expected, case, rtol):
    """"" or what is wrong with one output. Types of two bytes get 2e-2."""
    if answer["dtype"] != NAMES.get(str(expected.dtype)):
        return f"type {answer['dtype']} for {expected.dtype}"
    if answer["dims"] != list(expected.shape):
        return f"shape {answer['dims']} for {list(expected.shape)}"
    if "f" not in answer["dtype"]:
        same = np.array(answer["data"], dtype=object).reshape(expected.shape) == expected
        return "" if np.all(same) else f"{answer['data'][:8]} for {expected.reshape(-1)[:8]}"
    got = np.array([float(v) for v in answer["data"]]).reshape(expected.shape)
    want = expected.astype(np.float64)
    rtol = max(case.rtol, 2e-2 if expected.dtype.itemsize == 2 else rtol)
    size = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)  # where a sum cancels
    if np.allclose(got, want, rtol=rtol, atol=case.atol + 1e-7 * size, equal_nan=True):
        return ""
    return f"{got.reshape(-1)[:8]} for {want.reshape(-1)[:8]}"


def is_tensor(info):
    return info.type.WhichOneof("value") == "tensor_type"


def tensor_cases():
    """Every case whose inputs and outputs are tensors, of one node or many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero on purpose
        cases = collect_testcases(None)
    for case in cases:
        graph = case.model.graph
        if all(is_tensor(info) for info in (*graph.input, *graph.output)):
            yield case


def cases_of_one_node(name_part=""):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero on purpose
        cases = collect_testcases(None)
    for case in cases:
        nodes = case.model.graph.node
        if name_part in case.name and len(nodes) == 1 and nodes[0].domain in ("", "ai.onnx"):
            yield case


class Tool:
    """A program that answers one JSON line with one JSON line."""

    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        """The answer; {"error": ..., "code": "crash"} when the program ended."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        status = self.process.wait()
        self.start()
        return {"error": f"the program ended with {status}", "code": "crash"}
