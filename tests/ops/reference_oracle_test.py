"""The reference against the node cases of the onnx package, whose expected values are its own.

usage: reference_oracle_test.py BUILD_DIR [NAME_PART]

Every case of one node whose operator the reference knows is evaluated by frit_eval_node, in double
and in naive float32. A case is right, refused (the reference says so) or wrong; wrong ones fail the
test. Refusals by a known operator are listed; with a NAME_PART all are.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import numpy as np
from conformance import is_random
from onnx_cases import array_in, NotInJson, Tool, attribute, cases_of_one_node, differs, tensor

# fewest right cases: a guard against a change that refuses what was evaluated
LEAST_RIGHT = 1130


def requests_of(case):
    """(request, expected) for each data set of a case of one node."""
    node = case.model.graph.node[0]
    opset = next(o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx"))
    attributes = {a.name: attribute(a) for a in node.attribute}
    graph_inputs = [i.name for i in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        values = dict(zip(graph_inputs, inputs))
        request = {
            "type": node.op_type,
            "opset": opset,
            "attributes": attributes,
            "outputs": len(node.output),
            "inputs": [tensor(values[n]) if n else None for n in node.input],
        }
        if any(isinstance(o, list) for o in outputs):
            raise NotInJson
        places = [list(node.output).index(o.name) for o in case.model.graph.output]
        yield request, {place: array_in(o) for place, o in zip(places, outputs)}


def judge(case, tool):
    """("right" | "refused" | "wrong", why)"""
    values = dict(zip([i.name for i in case.model.graph.input], case.data_sets[0][0]))
    if is_random(case, case.model.graph.node[0].op_type, values):
        return "refused", "expects numpy's random stream; does not know this operator"
    try:
        pairs = list(requests_of(case))
    except NotInJson:
        return "refused", "its values cannot be written as JSON"
    for request, expected in pairs:
        for precision, rtol in (("double", 1e-6), ("naive32", 1e-4)):
            answer = tool.ask({**request, "precision": precision})
            if "error" in answer:
                wrong = answer.get("code") == "crash"
                return "wrong" if wrong else "refused", answer["error"]
            for place, want in expected.items():
                if place >= len(answer["outputs"]):
                    return "wrong", f"{len(answer['outputs'])} outputs, none in place {place}"
                fault = differs(answer["outputs"][place], want, case, rtol)
                if fault:
                    return "wrong", f"{precision}: {fault}"
    return "right", ""


def main():
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    tool = Tool(os.path.join(sys.argv[1], "tests", "frit_eval_node"))
    counts = {"right": 0, "wrong": 0, "refused": 0}
    for case in cases_of_one_node(part):
        verdict, why = judge(case, tool)
        counts[verdict] += 1
        known = "does not know this operator" not in why and "JSON" not in why
        if verdict == "wrong" or (verdict == "refused" and (part or known)):
            print(verdict, f"{case.name}: {why}")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if counts["wrong"] or (not part and counts["right"] < LEAST_RIGHT):
        sys.exit(1)


main()
