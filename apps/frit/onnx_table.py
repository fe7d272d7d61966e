"""Writes what ONNX says of its own operators as JSON, out of the onnx package that is installed.

    python onnx_table.py OUT

{"Conv": {"versions": [1, 11, 22],                    opsets in which its definition changed
          "inputs": [{"name": "X", "kind": "", "types": ["float16", ...]}, ...],  of the newest
          "outputs": [...],                            kind: "", "optional" or "variadic"
          "cases": ["test_conv_with_strides_padding", ...]}, ...}   of the node suite
"""

import collections
import json
import re
import sys
import warnings

import onnx
from onnx.backend.test.case.node import collect_testcases

KINDS = {
    onnx.defs.OpSchema.FormalParameterOption.Single: "",
    onnx.defs.OpSchema.FormalParameterOption.Optional: "optional",
    onnx.defs.OpSchema.FormalParameterOption.Variadic: "variadic",
}


def parameters(formals):
    """Names, kinds and element types of inputs or outputs."""
    return [
        {
            "name": formal.name,
            "kind": KINDS[formal.option],
            "types": sorted(re.sub(r"^tensor\((.*)\)$", r"\1", text) for text in formal.types),
        }
        for formal in formals
    ]


def cases_of_operators():
    """Names of the node suite's cases by the one operator that each is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = {case.name: case for case in collect_testcases(None)}
    names = collections.defaultdict(list)
    for name, case in cases.items():
        original = cases.get(name.split("_expanded")[0], case)
        nodes = original.model.graph.node
        if len(nodes) == 1:
            names[nodes[0].op_type].append(name)
    return names


def main(out):
    """The table in file `out`."""
    schemas = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            schemas[schema.name].append(schema)
    cases = cases_of_operators()
    table = {}
    for name, versions in sorted(schemas.items()):
        versions.sort(key=lambda schema: schema.since_version)
        newest = versions[-1]
        table[name] = {
            "versions": [schema.since_version for schema in versions],
            "inputs": parameters(newest.inputs),
            "outputs": parameters(newest.outputs),
            "cases": sorted(cases.get(name, [])),
        }
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(table, stream, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    main(sys.argv[1])
