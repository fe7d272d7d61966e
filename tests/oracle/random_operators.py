"""Random operators, attributes, shapes and types through frit, judged by its reference and by
ONNX Runtime.

usage: random_operators.py BUILD_DIR [--first N] [--count N] [--only OPERATOR] [--versions] [--show]

Case N is drawn from the seed N alone: an operator, one of its versions since opset 7, element types
that this version allows, extents (0, 1, primes, vector widths and their neighbours), attributes
(random_draws.py). Kernels must agree with the double reference within its bound (NUMERICS.md), NaN
and Inf included, and, where ONNX Runtime runs the model and the data are ordinary, with it (but for
PEER_DIFFERS). With --versions: --count cases of every version of every operator, judged by the onnx
package's own evaluator where ONNX Runtime does not run it; the number of versions is printed.
An operator of `frit ops` without a generator fails the run. Refusals of frit are counted and listed
by reason. A mismatch prints a command that shows it alone. Last line: "N agree, N refused, N mismatch".
"""
import argparse
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from onnx_cases import NotInJson, Tool, array_of, exact_tensor
import onnx
from onnx.reference import ReferenceEvaluator
import random_draws

try:
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
except ImportError:
    onnxruntime = None

WORKERS = 2
# Where the specification leaves the result open, or ONNX Runtime departs from it: operator -> why.
PEER_DIFFERS = {
    "Mod": "the sign of integer remainders of unsigned and narrow types",
    "BitShift": "shifts by the width or more are undefined",
    "Clip": "min above max",
    "TopK": "the order of equal values",
    "Resize": "rounding of coordinates in float32",
    "Upsample": "rounding of coordinates in float32",
} | dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
                   "RandomUniformLike"], "the random stream is each implementation's own")
# Operators of `frit ops` without a generator: of what operator they are expansions.
EXPANSIONS = {
    "frit::Conv": "QLinearConv",
    "frit::DeformColumns": "DeformConv",
    "frit::Dequantize": "DequantizeLinear",
    "frit::FlexAttentionScores": "ai.onnx.preview::FlexAttention",
    "frit::FlexAttentionValues": "ai.onnx.preview::FlexAttention",
    "frit::MaxPoolIndices": "MaxPool",
    "frit::OrderKey": "ArgMax",
    "frit::Quantize": "QuantizeLinear",
    "frit::Random": "RandomNormal",
    "frit::Requantize": "QLinearConv",
    "frit::TopKIndices": "TopK",
}


# Where the onnx package's evaluator departs from the specification (ONNX Runtime agrees with frit):
# operator -> versions below which, why.
ONNX_ERRS = {
    "BatchNormalization": (14, "it takes the older versions for training"),
    "GlobalMaxPool": (99, "it reduces one axis too many or too few unless the rank is 4"),
    "LRN": (99, "it leaves out the last channels of a window"),
    "LogSoftmax": (13, "it does not flatten to a matrix"),
    "Softmax": (13, "it does not flatten to a matrix"),
    "Hardmax": (13, "it does not flatten to a matrix"),
}


def peer_errs(case):
    """Forms that ONNX Runtime gets wrong. Of pools: the onnx evaluator agrees on MaxPool only."""
    names = {a.name: a for a in case.model.graph.node[0].attribute}
    if case.operator == "GridSample":  # a cubic's position is not kept between the borders
        return names["mode"].s.endswith(b"cubic") and names["padding_mode"].s != b"zeros"
    padded = names["auto_pad"].s.startswith(b"SAME") if "auto_pad" in names else False
    # the padding of a dilated window is computed as if it were not dilated
    return case.operator.endswith("Pool") and padded and "dilations" in names


def peer_outputs(case):
    """ONNX Runtime's outputs, or None where it does not run the model."""
    if (onnxruntime is None or case.special or case.operator in PEER_DIFFERS or peer_errs(case)):
        return None
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(case.model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
        return session.run(None, case.data)
    except Exception:  # it has a dozen exception types, all of which mean "not run"
        return None


def onnx_outputs(case):
    """What the onnx package's evaluator gives, or None where it does not run the model."""
    narrow = any(value.dtype.itemsize == 2 for value in case.data.values())  # it rounds each step
    below = ONNX_ERRS.get(case.operator, (0, ""))[0]
    if (case.special or narrow or case.operator in PEER_DIFFERS or case.opset < below or
            (peer_errs(case) and case.operator != "GridSample")):
        return None
    try:
        return ReferenceEvaluator(case.model).run(None, case.data)
    except Exception:  # its operators raise whatever numpy raises
        return None


def differs(got, want):
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {list(got.shape)} for {list(want.shape)}"
    if got.dtype != want.dtype:
        return f"type {got.dtype} for {want.dtype}"
    if want.dtype.kind in "iub":
        return "" if np.array_equal(got, want) else f"{got.reshape(-1)[:6]} for {want.reshape(-1)[:6]}"
    step = {"float16": 4e-3, "bfloat16": 3e-2}.get(str(want.dtype), 1e-4)
    got, want = got.astype(np.float64), want.astype(np.float64)
    size = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    near = np.allclose(got, want, rtol=step, atol=step * size + 1e-6, equal_nan=True)
    return "" if near else f"{got.reshape(-1)[:6]} for {want.reshape(-1)[:6]}"


def judge(case, tool, folder, by_onnx):
    """("agree" | "refused" | "mismatch", why)"""
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model, path)
    try:
        inputs = {name: exact_tensor(value) for name, value in case.data.items()}
    except NotInJson as why:
        return "refused", str(why)
    answer = tool.ask({"model": path, "inputs": inputs, "constants": [], "judge": True,
                       "cache": os.path.join(folder, "cache")})
    if "error" in answer:
        about_model = answer["code"].startswith("onnx-")
        return ("refused" if about_model else "mismatch"), answer["error"]
    if answer["fault"]:
        return "mismatch", "reference: " + answer["fault"]
    judges = {"ONNX Runtime": peer_outputs(case)}
    if by_onnx and judges["ONNX Runtime"] is None:
        judges["onnx"] = onnx_outputs(case)
    for name, outputs in judges.items():
        for got, want in zip(answer["outputs"], outputs or []):
            array = array_of(got)
            if name == "onnx" and array.dtype != np.asarray(want).dtype:
                continue  # numpy's own promotion
            fault = differs(array, want)
            if fault:
                return "mismatch", f"{name}: {fault}"
    return "agree", ""


def without_generator(build):
    """Operators of `frit ops` that no case is of, themselves or by what they are expansions of."""
    lines = subprocess.run([os.path.join(build, "apps", "frit"), "ops"], capture_output=True,
                           text=True, check=True).stdout.splitlines()[1:]
    known = [line.split()[0] for line in lines]
    assert len(known) > 200, "frit ops lists operators one a line"
    return [o for o in known if EXPANSIONS.get(o, o) not in random_draws.GENERATORS]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--only")
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--show", action="store_true", help="print each case and its refusal")
    options = parser.parse_args()
    local = threading.local()

    def one(wanted):
        seed, operator, version = wanted
        if not hasattr(local, "tool"):
            local.tool = Tool(os.path.join(options.build, "tests", "frit_run_model"))
            local.folder = tempfile.TemporaryDirectory()
        case = random_draws.draw(seed, operator, version)
        return seed, case, *judge(case, local.tool, local.folder.name, options.versions)

    counts = collections.Counter()
    reasons = collections.Counter()
    agreed = set()
    seeds = range(options.first, options.first + options.count)
    wanted = [(seed, options.only, None) for seed in seeds]
    if options.versions:
        pairs = [pair for pair in random_draws.versions() if options.only in (None, pair[0])]
        wanted = [(seed, *pair) for pair in pairs for seed in seeds]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for seed, case, verdict, why in pool.map(one, wanted):
            counts[verdict] += 1
            if options.show:
                print(seed, case.text(), verdict, why)
            if verdict == "refused":
                reasons[case.operator] += 1
            elif verdict == "agree":
                agreed.add((case.operator, case.opset))
            if verdict == "mismatch":
                only = f" --only {case.operator}" if options.only or options.versions else ""
                only += " --versions" if options.versions else ""
                print(f"mismatch {case.text()}: {why[:300]}\n  tests/random_operators --first {seed} "
                      f"--count 1{only} --show", flush=True)
    missing = [] if options.only else without_generator(options.build)
    if missing:
        print("no generator (tests/oracle/random_*.py):", ", ".join(missing))
    print(f"{len(agreed)} versions of {len({operator for operator, _ in agreed})} operators agree")
    print("refused:", ", ".join(f"{name} {n}" for name, n in sorted(reasons.items())) or "none")
    print(f"{counts['agree']} agree, {counts['refused']} refused, {counts['mismatch']} mismatch")
    return 1 if counts["mismatch"] or missing else 0


if __name__ == "__main__":
    sys.exit(main())
