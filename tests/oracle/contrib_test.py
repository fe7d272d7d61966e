"""com.microsoft's attention operators, MatMulNBits and QLinearSoftmax against ONNX Runtime and frit's
own reference.

usage: contrib_test.py BUILD_DIR
Each case is a model of one node with random inputs. Where only some positions count (padding of a
prompt, room of a cache) only those are compared. Exit code 77 without build/peers.
"""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "build" / "peers" / "bin" / "python"
try:
    import onnxruntime
except ImportError:
    if not PEERS.exists() or pathlib.Path(sys.executable) == PEERS:
        print("no ONNX Runtime: skipped")
        sys.exit(77)
    os.execv(PEERS, [PEERS, *sys.argv])

import numpy as np
import onnx
from onnx import helper

from onnx_cases import Tool, array_of, exact_tensor

RTOL, ATOL = 1e-4, 1e-5
RANDOM = np.random.default_rng(5)
B, S, H, D = 2, 5, 4, 16


def noise(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def ints(values, kind=np.int32):
    return np.asarray(values, kind)


def angles(length, half):
    turn = np.arange(length)[:, None] / 10.0 ** np.arange(half)
    return np.cos(turn).astype(np.float32), np.sin(turn).astype(np.float32)


class Case:
    """One node: `inputs` in their places, None where left out; those in `known` are constants."""

    def __init__(self, name, op, inputs, outputs=1, known=(), counts=None, **attributes):
        self.name, self.op, self.inputs, self.outputs = name, op, inputs, outputs
        self.known, self.counts, self.attributes = known, counts, attributes

    def feeds(self):
        pairs = enumerate(self.inputs)
        return {f"i{i}": x for i, x in pairs if x is not None and i not in self.known}

    def model(self):
        names = ["" if x is None else f"i{i}" for i, x in enumerate(self.inputs)]
        outputs = [f"o{i}" for i in range(self.outputs)]
        node = helper.make_node(self.op, names, outputs, "node", domain="com.microsoft",
                                **self.attributes)
        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for name, x in self.feeds().items()
        ]
        constants = [onnx.numpy_helper.from_array(self.inputs[i], f"i{i}") for i in self.known]
        kind = (onnx.TensorProto.UINT8 if self.op.startswith("QLinear") else onnx.TensorProto.FLOAT)
        results = [helper.make_tensor_value_info(o, kind, None) for o in outputs]
        graph = helper.make_graph([node], "g", inputs, results, constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def multi_head_cases():
    q, k, v = noise(B, S, H * D), noise(B, 7, H * D), noise(B, 7, H * 6)
    past = [noise(B, H, 3, D), noise(B, H, 3, D)]
    own = [noise(B, S, H * D) for _ in range(3)]
    flags = ints(RANDOM.integers(0, 2, (B, S)))
    flags[:, 0] = 1
    hidden = flags * 0  # nobody sees anything
    op = "MultiHeadAttention"
    yield Case("cross", op, [q, k, v], num_heads=H)
    yield Case("bias", op, [*own, noise(3 * H * D)], num_heads=H, scale=0.2)
    yield Case("flags", op, [*own, None, flags], num_heads=H)
    yield Case("all hidden", op, [*own, None, hidden], num_heads=H)
    yield Case("flags by query", op, [*own, None, ints(RANDOM.integers(0, 2, (B, S, S)))],
               num_heads=H, mask_filter_value=-50.0)
    yield Case("lengths", op, [*own, None, ints([5, 2])], num_heads=H)
    yield Case("causal", op, own, num_heads=H, unidirectional=1)
    yield Case("attention bias", op, [*own, None, flags, noise(1, H, S, S)], num_heads=H)
    yield Case("past", op, [*own, None, None, noise(B, 1, S, 3 + S), *past], 3, num_heads=H)
    yield Case("heads apart", op, [q, noise(B, H, 7, D), noise(B, H, 7, D)], num_heads=H)


def merged_cases():
    x, w, b = noise(B, S, 12), noise(12, 3 * H * D), noise(3 * H * D)
    flags = ints(RANDOM.integers(0, 2, (B, S)))
    flags[:, 0] = 1
    op = "Attention"
    yield Case("merged", op, [x, w, b], num_heads=H)
    yield Case("merged causal", op, [x, w, b], num_heads=H, unidirectional=1, scale=0.3)
    yield Case("merged flags", op, [x, w, b, flags], num_heads=H)
    yield Case("merged ends", op, [x, w, b, ints([3, 5])], num_heads=H)
    yield Case("merged ends and starts", op, [x, w, b, ints([4, 5, 0, 2])], num_heads=H)
    yield Case("merged sizes", op, [x, noise(12, 2 * H * D + H * 6), noise(2 * H * D + H * 6)],
               num_heads=H, qkv_hidden_sizes=[H * D, H * D, H * 6])
    yield Case("merged past", op, [x, w, b, None, noise(2, B, H, 3, D)], 2, num_heads=H,
               unidirectional=1)
    yield Case("merged bias", op, [x, w, b, None, None, noise(B, 1, S, S)], num_heads=H)


def group_query_cases():
    g = 2
    cos, sin = angles(20, D // 2)
    q, k, v = noise(B, S, H * D), noise(B, S, g * D), noise(B, S, g * D)
    one = [noise(B, 1, n * D) for n in (H, g, g)]
    caches = [noise(B, g, 9, D), noise(B, g, 9, D)]
    op = "GroupQueryAttention"
    heads = {"num_heads": H, "kv_num_heads": g}

    def prompt(outputs):  # rows and cache places beyond a sentence's length do not count
        return [outputs[0][1, :3], outputs[0][0], *(o[1, :, :3] for o in outputs[1:])]

    def step(outputs):
        return [outputs[0], *(o[b, :, : n + 1] for o in outputs[1:] for b, n in ((0, 6), (1, 3)))]

    full, total = ints([S - 1, 2]), ints([S])
    yield Case("prompt", op, [q, k, v, None, None, full, total], 3, (6,), prompt, **heads)
    yield Case("prompt turned", op, [q, k, v, None, None, full, total, cos, sin], 3, (6,), prompt,
               do_rotary=1, **heads)
    yield Case("prompt window", op, [q, k, v, None, None, full, total], 3, (6,), prompt,
               local_window_size=2, softcap=1.5, **heads)
    yield Case("prompt packed", op, [np.concatenate([q, k, v], 2), None, None, None, None, full,
                                     total], 3, (6,), prompt, **heads)
    yield Case("prompt bias", op, [q, k, v, None, None, full, total, None, None, None,
                                   noise(1, H, S, S)], 3, (6,), prompt, scale=0.2, **heads)
    lengths, seven = ints([6, 3]), ints([7])
    yield Case("step", op, [*one, *caches, lengths, seven], 3, (6,), step, **heads)
    yield Case("step turned", op, [*one, *caches, lengths, seven, cos, sin], 3, (6,), step,
               do_rotary=1, rotary_interleaved=1, local_window_size=3, **heads)


def rotary_cases():
    cos, sin = angles(20, D // 2)
    op = "RotaryEmbedding"
    places = ints(RANDOM.integers(0, 20, (B, S)), np.int64)
    for interleaved in (0, 1):
        yield Case(f"rotary {interleaved}", op, [noise(B, S, H * D), places, cos, sin],
                   interleaved=interleaved)
        yield Case(f"rotary offset {interleaved}", op,
                   [noise(B, H, S, D), ints([4], np.int64), cos, sin], interleaved=interleaved)
    cos, sin = angles(20, D // 4)
    yield Case("rotary part", op, [noise(B, S, H * D), places, cos, sin], num_heads=H,
               rotary_embedding_dim=D // 2)


def nbits_cases():
    for bits, k, n, block in ((4, 64, 16, 32), (4, 70, 5, 16), (8, 96, 8, 32)):
        blocks = -(-k // block)
        codes = RANDOM.integers(0, 256, (n, blocks, block * bits // 8)).astype(np.uint8)
        scales = (0.01 * RANDOM.random(n * blocks)).astype(np.float32)
        zeros = RANDOM.integers(0, 256, n * -(-blocks * bits // 8)).astype(np.uint8)
        sizes = {"K": k, "N": n, "bits": bits, "block_size": block}
        inputs = [noise(B, S, k), codes, scales]
        yield Case(f"{bits} bits of {k}", "MatMulNBits", inputs, known=(1, 2), **sizes)
        yield Case(f"{bits} bits of {k}, zero points", "MatMulNBits", [*inputs, zeros],
                   known=(1, 2, 3), **sizes)
    codes = RANDOM.integers(0, 256, (7, 3, 8)).astype(np.uint8)
    yield Case("bias", "MatMulNBits", [noise(3, 48), codes, noise(21), None, None, noise(7)],
               known=(1, 2, 5), K=48, N=7, block_size=16)


def softmax_cases():
    x = RANDOM.integers(0, 40, (3, 4, 5)).astype(np.uint8)
    scales = [np.float32(0.1), np.uint8(3), np.float32(1 / 256), np.uint8(0)]
    for opset, axis in ((13, -1), (13, 1), (12, 1), (9, 2)):
        yield Case(f"opset {opset} axis {axis}", "QLinearSoftmax", [x, *map(np.array, scales)],
                   known=(1, 2, 3, 4), opset=opset, axis=axis)


def fault_of(case, tool, folder):
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model(), path)
    session = onnxruntime.InferenceSession(path)
    want = session.run(None, case.feeds())
    answer = tool.ask({
        "model": path, "inputs": {name: exact_tensor(x) for name, x in case.feeds().items()},
        "constants": [], "cache": os.path.join(folder, "cache"), "judge": True})
    if "error" in answer:
        return answer["error"]
    if answer.get("fault"):
        return "against the reference: " + answer["fault"]
    got = [array_of(output) for output in answer["outputs"]]
    if case.counts:
        got, want = case.counts(got), case.counts(want)
    for i, (ours, theirs) in enumerate(zip(got, want, strict=True)):
        if ours.shape != theirs.shape:
            return f"output {i} is {ours.shape}, want {theirs.shape}"
        # One step where a quantised result lies between two.
        if not np.allclose(ours, theirs, RTOL, ATOL if ours.dtype.kind == "f" else 1):
            off = np.abs(ours.astype(float) - theirs).max()
            return f"output {i} differs by {off:.3g}"
    return ""


def main():
    tool = Tool(os.path.join(sys.argv[1], "tests", "frit_run_model"))
    faults = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for cases in (multi_head_cases, merged_cases, group_query_cases, rotary_cases, nbits_cases,
                      softmax_cases):
            for case in cases():
                count += 1
                fault = fault_of(case, tool, folder)
                if fault:
                    faults += 1
                    print(f"WRONG {case.op} ({case.name}): {fault}", flush=True)
    print(f"{count - faults} of {count} cases as ONNX Runtime")
    sys.exit(1 if faults else 0)


main()
