"""The node cases of the onnx package through the whole of frit: import, passes, plan, kernels, run.

usage: conformance.py BUILD_DIR [--summary] [--share N] [--refusals FILE] [NAME_PART…]

A case counts when all its inputs and outputs are tensors. It is passed, refused with a diagnostic
about the model ("onnx-…"), or wrong. Data inputs are given at run time; only inputs that the
specification names as shape, axes, pads, k or the like (PARAMETERS) are pinned as constants when
the model needs them at build. Numbers may differ by 1e-3 of the value plus 1e-6; in 16 bits by
two steps of the type's digits (2e-3, bfloat16 1.6e-2): there the expected values were themselves
rounded after every step. Cases that expect numpy's random stream are checked for shape, type and
distribution instead, and counted apart.

--summary: counts by operator. --share N: every Nth case only, by a hash of its name. --refusals
FILE: writes the table of refused cases. Last line: "N passed, N refused, N wrong"; exit code 1 if
some are wrong.
"""
import argparse
import collections
import concurrent.futures
import os
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from onnx_cases import NotInJson, Tool, array_in, array_of, exact_tensor, tensor_cases
import onnx

WORKERS = 2
# Positions of the inputs that give shapes or choose what is computed; values of data are never here.
PARAMETERS = {
    "AffineGrid": [1], "BlackmanWindow": [0], "CenterCropPad": [1], "Col2Im": [1, 2],
    "ConstantOfShape": [0], "CumProd": [1], "CumSum": [1], "DFT": [1, 2], "Dropout": [1, 2],
    "Expand": [1], "HammingWindow": [0], "HannWindow": [0], "MaxUnpool": [2],
    "MelWeightMatrix": [0, 1, 2, 3, 4], "NonMaxSuppression": [2], "OneHot": [1],
    "Pad": [1, 3], "Range": [0, 1, 2], "ReduceL1": [1], "ReduceL2": [1], "ReduceLogSum": [1],
    "ReduceLogSumExp": [1], "ReduceMax": [1], "ReduceMean": [1], "ReduceMin": [1],
    "ReduceProd": [1], "ReduceSum": [1], "ReduceSumSquare": [1], "Reshape": [1],
    "Resize": [1, 2, 3], "STFT": [1, 3], "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1],
    "Tile": [1], "TopK": [1], "Trilu": [1], "Unsqueeze": [1], "Upsample": [1],
}


def operator_of(case, cases):
    """What the case is about: its one operator, or that of the case which it expands."""
    nodes = case.model.graph.node
    if "_expanded" in case.name:
        original = cases.get(case.name.split("_expanded")[0])
        if original is not None:
            return original.model.graph.node[0].op_type
    return nodes[0].op_type if len(nodes) == 1 else "several"


def parameters_of(case, operator, cases):
    """Names of the graph's inputs that may be pinned."""
    places = PARAMETERS.get(operator, [])
    original = cases.get(case.name.split("_expanded")[0], case)
    names = list(original.model.graph.node[0].input) if original.model.graph.node else []
    chosen = {names[place] for place in places if place < len(names) and names[place]}
    if case is original:
        return chosen & {i.name for i in case.model.graph.input}
    # an expansion has inputs of the same order under names of its own
    theirs = [i.name for i in original.model.graph.input]
    ours = [i.name for i in case.model.graph.input]
    return {mine for mine, name in zip(ours, theirs) if name in chosen}


def ask(tool, case, values, pinned, folder):
    path = os.path.join(folder, "case.onnx")
    onnx.save(case.model, path)
    request = {"model": path, "inputs": {n: exact_tensor(v) for n, v in values.items()},
               "constants": [], "cache": os.path.join(folder, "cache")}
    answer = tool.ask(request)
    if answer.get("code") == "onnx-not-constant" and pinned:
        answer = tool.ask({**request, "constants": sorted(pinned)})
    return answer


def is_random(case, operator, values):
    if operator == "Bernoulli":
        return True
    if operator != "Dropout":
        return False
    node = case.model.graph.node[0]
    modes = [values.get(node.input[2])] if len(node.input) > 2 else []
    ratios = [values.get(node.input[1])] if len(node.input) > 1 else []
    if ratios and ratios[0] is not None and float(ratios[0]) == 0.0:
        return False
    return any(mode is not None and bool(mode) for mode in modes)


def odd_bernoulli(x, y):
    p = x.astype(np.float64).reshape(-1)
    draws = np.asarray(y).astype(np.float64).reshape(-1)
    if not np.all((draws == 0) | (draws == 1)):
        return "values other than 0 and 1"
    spread = np.sqrt(np.sum(p * (1 - p))) + 1e-9
    return "" if abs(np.sum(draws) - np.sum(p)) <= 5 * spread + 1e-6 else "an unlikely mean"


def odd_dropout(case, values, outputs):
    node = case.model.graph.node[0]
    x = values[node.input[0]].astype(np.float64)
    ratio = 0.5
    if len(node.input) > 1 and node.input[1]:
        ratio = float(values[node.input[1]])
    y = outputs[0].astype(np.float64)
    kept = y != 0
    if not np.allclose(y[kept], x[kept] / (1 - ratio), rtol=1e-3):
        return "a kept value is not x / (1 - ratio)"
    if len(outputs) > 1 and not np.array_equal(outputs[1], kept):
        return "the mask is not of the kept values"
    count = x.size * (1 - ratio)
    spread = 5 * np.sqrt(x.size * ratio * (1 - ratio))
    return "" if abs(kept.sum() - count) <= spread + 1e-6 else "an unlikely share is kept"


def differs(got, want):
    """"" or what is wrong with one output."""
    want = array_in(want)
    if got.dtype != want.dtype:
        return f"type {got.dtype} for {want.dtype}"
    if got.shape != want.shape:
        return f"shape {list(got.shape)} for {list(want.shape)}"
    if want.dtype.kind in "iub" or "int" in str(want.dtype):
        same = got.astype(object) == want.astype(object)
        return "" if np.all(same) else f"{got.reshape(-1)[:8]} for {want.reshape(-1)[:8]}"
    rtol = {"float16": 2e-3, "bfloat16": 1.6e-2}.get(str(want.dtype), 1e-3)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=1e-6,
                           equal_nan=True)
    return "" if near else f"{got.reshape(-1)[:8]} for {want.reshape(-1)[:8]}"


def judge(case, operator, cases, tool, folder):
    """("passed" | "random" | "refused" | "wrong", why)"""
    names = [i.name for i in case.model.graph.input]
    pinned = parameters_of(case, operator, cases)
    verdict = "passed"
    for inputs, outputs in case.data_sets:
        values = dict(zip(names, (array_in(v) for v in inputs)))
        try:
            answer = ask(tool, case, values, pinned, folder)
        except NotInJson as why:
            return "refused", f"[onnx-dtype] {why}"
        if "error" in answer:
            about_model = answer["code"].startswith("onnx-")
            return "refused" if about_model else "wrong", answer["error"]
        got = [array_of(output) for output in answer["outputs"]]
        if is_random(case, operator, values):
            verdict = "random"
            fault = next((f"type or shape of output {i}" for i, (g, w) in
                          enumerate(zip(got, outputs))
                          if g.dtype != np.asarray(w).dtype or g.shape != np.asarray(w).shape), "")
            fault = fault or (odd_bernoulli(values[names[0]], got[0]) if operator == "Bernoulli"
                              else odd_dropout(case, values, got))
            if fault:
                return "wrong", fault
            continue
        for mine, want in zip(got, outputs):
            fault = differs(mine, want)
            if fault:
                return "wrong", fault
    return verdict, ""


def run_all(chosen, cases, build, report):
    local = threading.local()
    tools = []

    def one(case):
        if not hasattr(local, "tool"):
            local.tool = Tool(os.path.join(build, "tests", "frit_run_model"))
            local.folder = tempfile.TemporaryDirectory()
            tools.append(local)
        operator = operator_of(case, cases)
        return case, operator, *judge(case, operator, cases, local.tool, local.folder.name)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for result in pool.map(one, chosen):
            report(*result)


def refusal_table(rows):
    """Markdown: operator, cases refused, reason."""
    groups = collections.Counter((operator, why.split("\n")[0]) for operator, _, why in rows)
    lines = ["# Node cases of the onnx package that frit refuses", "",
             "Written by `tests/onnx_conformance --refusals`. One row for each operator and reason.",
             "", "| operator | cases | reason |", "|---|---|---|"]
    for (operator, why), count in sorted(groups.items()):
        lines.append(f"| {operator} | {count} | {why.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--refusals")
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    cases = {case.name: case for case in tensor_cases()}
    chosen = [case for name, case in cases.items()
              if zlib.crc32(name.encode()) % options.share == 0 and
              (not options.parts or any(part in name for part in options.parts))]
    counts = collections.Counter()
    by_operator = collections.defaultdict(collections.Counter)
    refused = []
    start = time.time()

    def report(case, operator, verdict, why):
        counts[verdict] += 1
        by_operator[operator][verdict] += 1
        if verdict == "refused":
            refused.append((operator, case.name, why))
        if verdict == "wrong" or (verdict == "refused" and options.parts):
            print(f"{verdict} {case.name}: {why}", flush=True)

    run_all(chosen, cases, options.build, report)
    if options.summary:
        for operator, found in sorted(by_operator.items()):
            if found["refused"] or found["wrong"]:
                print(f"{operator}: " + ", ".join(f"{n} {v}" for v, n in sorted(found.items())))
    if options.refusals:
        with open(options.refusals, "w", encoding="utf-8") as file:
            file.write(refusal_table(refused))
    print(f"{len(chosen)} cases in {time.time() - start:.0f} s, of them {counts['random']} random: "
          "right in shape, type and distribution")
    print(f"{counts['passed']} passed, {counts['refused']} refused, {counts['wrong']} wrong")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
