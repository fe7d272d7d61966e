"""The reference against the node cases of the onnx package, whose expected values are its own.

usage: reference_oracle_test.py BUILD_DIR [NAME_PART]

Every case of one node whose operator the reference knows is evaluated by frit_eval_node, in double
and in naive float32. A case is right, refused (the reference says so; listed with its reason when a
NAME_PART is given) or wrong. Wrong cases fail the test.
"""
import collections
import json
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
try:
    import onnx  # noqa: F401
except ImportError:  # started with another Python: the project's own has onnx
    python = os.path.join(root, "build", "env", "bin", "python")
    if os.path.abspath(sys.executable) == python or not os.path.exists(python):
        print("no onnx package: skipped")
        sys.exit(77)
    os.execv(python, [python, *sys.argv])

import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

NAMES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int8": "i8",
    "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "bool": "bool",
}
# fewest right cases: a guard against a change that refuses what was evaluated
LEAST_RIGHT = 550


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


def requests_of(case):
    """(request, expected) for each data set of a case of one node."""
    node = case.model.graph.node[0]
    opset = next(o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx"))
    attributes = {a.name: attribute(a) for a in node.attribute}
    graph_inputs = [i.name for i in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        values = dict(zip(graph_inputs, inputs))
        yield (
            {
                "type": node.op_type,
                "opset": opset,
                "attributes": attributes,
                "outputs": len(node.output),
                "inputs": [tensor(values[n]) if n else None for n in node.input],
            },
            [] if any(isinstance(o, list) for o in outputs) else [np.asarray(o) for o in outputs],
        )


def differs(answer, expected, case, dtype_rtol):
    """"" or what is wrong with one output."""
    if answer["dtype"] != NAMES.get(str(expected.dtype)):
        return f"type {answer['dtype']} for {expected.dtype}"
    if answer["dims"] != list(expected.shape):
        return f"shape {answer['dims']} for {list(expected.shape)}"
    got = np.array([float(v) for v in answer["data"]]).reshape(expected.shape)
    if "f" not in answer["dtype"]:
        same = np.array(answer["data"], dtype=object).reshape(expected.shape) == expected
        return "" if np.all(same) else f"{answer['data'][:8]} for {expected.reshape(-1)[:8]}"
    want = expected.astype(np.float64)
    if np.allclose(got, want, rtol=max(case.rtol, dtype_rtol), atol=case.atol, equal_nan=True):
        return ""
    return f"{got.reshape(-1)[:8]} for {want.reshape(-1)[:8]}"


def main():
    build = sys.argv[1]
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    tool = os.path.join(build, "tests", "frit_eval_node")
    process = subprocess.Popen([tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(request, precision):
        process.stdin.write(json.dumps({**request, "precision": precision}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    right, refused, wrong = 0, collections.Counter(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases divide by zero on purpose
        cases = collect_testcases(None)
    for case in cases:
        if part not in case.name or len(case.model.graph.node) != 1:
            continue
        if case.model.graph.node[0].domain not in ("", "ai.onnx"):
            continue
        try:
            pairs = list(requests_of(case))
        except NotInJson:
            refused[case.model.graph.node[0].op_type] += 1
            continue
        fault, refusal = "", ""
        for request, expected in pairs:
            for precision, rtol in (("double", 1e-6), ("naive32", 1e-4)):
                answer = ask(request, precision)
                if "error" in answer:
                    refusal = answer["error"]
                    break
                for got, want in zip(answer["outputs"], expected):
                    loose = 2e-2 if want.dtype.itemsize == 2 else rtol
                    fault = fault or differs(got, want, case, loose)
                if len(answer["outputs"]) < len(expected):
                    fault = fault or f"{len(answer['outputs'])} outputs for {len(expected)}"
        if fault:
            wrong.append(f"{case.name}: {fault}")
        elif refusal:
            refused[case.model.graph.node[0].op_type] += 1
            if part or "does not know this operator" not in refusal:
                print(f"refused {case.name}: {refusal}")
        else:
            right += 1
    for line in wrong:
        print("wrong", line)
    print(f"{right} right, {len(wrong)} wrong, {sum(refused.values())} refused")
    if wrong or (not part and right < LEAST_RIGHT):
        sys.exit(1)


main()
