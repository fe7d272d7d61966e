"""Corner values through every operator: NaN, infinities, zeros of both signs, subnormal and largest
numbers, ends of integers, fully masked rows, empty tensors.

usage: corner_values.py BUILD_DIR [--first N] [--count N] [--only OPERATOR] [--show]

For each operator of `frit ops`, COUNT cases of each of its forms (corner_draws.py), each with data of
eight kinds. Kernels must agree with the double reference in kind (NaN, sign of infinity) and within
its bound, with the sign of zero where IEEE gives it (SIGNS), and so must the independent judges of
corner_peers.py, but for the deviations stated there. An operator of `frit ops` that is neither tested
nor in UNTOUCHED fails the test. Last line: "N operators, N cases, N refused, N mismatch".
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

import corner_draws
import corner_peers

WORKERS = 2
# Operators of `frit ops` without cases: why.
UNTOUCHED = {
    "frit::Conv": "made of QLinearConv and ConvInteger, which have cases",
    "frit::DeformColumns": "made of DeformConv, which has cases",
    "frit::Dequantize": "made of DequantizeLinear, which has cases",
    "frit::FlexAttentionScores": "made of FlexAttention, which has cases",
    "frit::FlexAttentionValues": "made of FlexAttention, which has cases",
    "frit::MaxPoolIndices": "made of MaxPool, which has cases",
    "frit::OrderKey": "made of ArgMax, which has cases",
    "frit::Quantize": "made of QuantizeLinear, which has cases",
    "frit::Random": "a random stream",
    "frit::Requantize": "made of QLinearConv, which has cases",
    "frit::TopKIndices": "made of TopK, which has cases",
}
# Operators whose zeros have the sign that IEEE 754 gives (moves, and single roundings).
SIGNS = set("""Abs Add Ceil Compress Concat Constant ConstantOfShape CenterCropPad DepthToSpace Div Expand
Flatten Floor Gather GatherElements GatherND Identity Mul Neg Pad Reshape ReverseSequence Round
ScatterElements Scatter ScatterND Slice SpaceToDepth Split Sqrt Squeeze Sub TensorScatter Tile Transpose
Trilu Unsqueeze Where""".split())


def operators_of(build):
    lines = subprocess.run([os.path.join(build, "apps", "frit"), "ops"], capture_output=True,
                           text=True, check=True).stdout.splitlines()
    return [line.split()[0] for line in lines[1:]]


def bound_of(reference, shape):
    """The allowed differences; 0 where none is kept, infinite where anything is right."""
    bound = np.array([float(b) for b in reference["bound"]], np.float64)
    bound[bound < 0] = np.inf  # the reference's mark of a NaN or infinity that is left open
    return bound.reshape(shape) if bound.size else np.zeros(shape)


def fault_of_set(case, kind, data, answer, judges, judged):
    if answer["fault"]:
        return f"{kind}: reference: {answer['fault']}"
    outputs = [array_of(output) for output in answer["outputs"]]
    bounds = [bound_of(r, o.shape) for r, o in zip(answer["reference"], outputs)]
    # of 0 and -0 either is the greater
    reduces = any(a.name == "reduction" for a in case.model.graph.node[0].attribute)
    signs = case.operator in SIGNS and not reduces
    for i, (got, told) in enumerate(zip(outputs, answer["reference"])):
        if not signs or got.dtype.kind in "iub":
            continue
        want = np.array([float(v) for v in told["value"]["data"]]).reshape(got.shape)
        wrong = (got == 0) & (want == 0) & (np.signbit(got) != np.signbit(want))
        if wrong.any():
            return f"{kind}: reference: sign: {corner_peers.first_where(wrong, got, want)}"
    for name, judge in judges.items():
        wanted = corner_peers.answer(name, case, judge, data)
        for i, (got, want) in enumerate(zip(outputs, wanted or [])):
            if want is None or (name == "onnx" and got.dtype != np.asarray(want).dtype):
                continue  # numpy's own promotion
            judged[name] += 1
            fault = corner_peers.differs(got, want, bounds[i], signs)
            if fault:
                return f"{kind}: {name}: output {i}: {fault}"
    open_bounds = sum(int(np.sum(~np.isfinite(b))) for b in bounds)
    judged["elements"] += sum(b.size for b in bounds)
    judged["open"] += open_bounds
    return ""


def judge(case, tool, folder):
    """("agree" | "refused" | "mismatch", why, counts)"""
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model, path)
    judged = collections.Counter()
    try:
        sets = [{name: exact_tensor(value) for name, value in data.items()} for _, data in case.sets]
    except NotInJson as why:
        return "refused", str(why), judged
    answer = tool.ask({"model": path, "inputs": sets[0], "more": sets[1:], "constants": [],
                       "judge": True, "bounds": True, "cache": os.path.join(folder, "cache")})
    if "error" in answer:
        refused = answer["code"].startswith("onnx-")
        return ("refused" if refused else "mismatch"), answer["error"], judged
    judges = corner_peers.judges_of(case)
    faults = []
    for (kind, data), told in zip(case.sets, [answer, *answer.get("more", [])]):
        fault = fault_of_set(case, kind, data, told, judges, judged)
        if fault:
            faults.append(fault)
    return ("mismatch" if faults else "agree"), "\n    ".join(faults), judged


def wanted_cases(operators, first, count):
    for operator in operators:
        forms = len(corner_draws.forms_of(operator))
        for seed in range(first * forms, (first + count) * forms):
            yield operator, seed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true", help="print each case and its refusal")
    options = parser.parse_args()
    known = operators_of(options.build)
    tested = [o for o in known if corner_draws.forms_of(o) and options.only in (None, o)]
    local = threading.local()

    def one(wanted):
        if not hasattr(local, "tool"):
            local.tool = Tool(os.path.join(options.build, "tests", "frit_run_model"))
            local.folder = tempfile.TemporaryDirectory()
        try:
            case = corner_draws.draw(*wanted)
        except Exception as fault:
            raise RuntimeError(f"the draw of {wanted} failed") from fault
        return *wanted, case, *judge(case, local.tool, local.folder.name)

    counts, sets = collections.Counter(), 0
    refusals, per = collections.Counter(), collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        wanted = wanted_cases(tested, options.first, options.count)
        for operator, seed, case, verdict, why, judged in pool.map(one, wanted):
            counts[verdict] += 1
            sets += len(case.sets) if verdict == "agree" else 0
            per[operator].update(judged)
            if options.show:
                print(seed, case.form, case.text(), verdict, why, dict(judged))
            if verdict == "refused":
                refusals[f"{operator} ({case.form})"] += 1
            if verdict == "mismatch":
                forms = len(corner_draws.forms_of(operator))
                print(f"mismatch {case.form} {case.text()}:\n    {why[:900]}\n  tests/corner_values "
                      f"--only {operator} --first {seed // forms} --show", flush=True)
    missing = [o for o in known if not corner_draws.forms_of(o) and o not in UNTOUCHED]
    if options.only is None:
        alone = [o for o in tested if not per[o]["ONNX Runtime"] and not per[o]["onnx"]]
        print("judged by frit's reference alone:", ", ".join(alone) or "none")
        print("refused:", ", ".join(f"{name} {n}" for name, n in sorted(refusals.items())) or "none")
        print(f"not touched: {sum(o in UNTOUCHED for o in known)}; neither tested nor said why: "
              f"{', '.join(missing) or 'none'}")
        vague = {o: c["open"] / c["elements"] for o, c in per.items() if c["elements"]}
        worst = sorted(vague.items(), key=lambda item: -item[1])[:12]
        print("elements without a bound:", ", ".join(f"{o} {v:.0%}" for o, v in worst))
    print(f"{len(tested)} operators, {counts.total()} cases with {sets} data sets, "
          f"{counts['refused']} refused, {counts['mismatch']} mismatch")
    return 1 if counts["mismatch"] or (missing and options.only is None) else 0


if __name__ == "__main__":
    sys.exit(main())
