"""The attributes that frit knows of each operator against those of the onnx package's schemas.

usage: attributes_test.py BUILD_DIR

From the oldest opset that frit accepts on, they must be the same: an attribute missing here would
refuse good models, one too many would be ignored. So must the opsets that require them: a model
without one is refused there and nowhere else. Those that only say how a model was trained are in
the schemas too, and known.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from onnx_cases import ROOT  # starts this script again where onnx is not installed

import onnx.defs

OLDEST_OPSET = 7
# The importer reads Constant apart, by its one kind; the other is ONNX Runtime's, in ONNX's domain.
APART = ("Constant", "SimplifiedLayerNormalization")
ALWAYS = 2**31 - 1


def schema_attributes(name):
    """Of all versions in force from OLDEST_OPSET on."""
    versions = sorted((s for s in onnx.defs.get_all_schemas_with_history()
                       if s.domain == "" and s.name == name), key=lambda s: s.since_version)
    in_force = [s for s, following in zip(versions, versions[1:] + [None])
                if following is None or following.since_version > OLDEST_OPSET]
    return {attribute for schema in in_force for attribute in schema.attributes}


def required_until(name):
    """Attribute -> the first opset that does not require it, of those required by OLDEST_OPSET on."""
    versions = sorted((s for s in onnx.defs.get_all_schemas_with_history()
                       if s.domain == "" and s.name == name), key=lambda s: s.since_version)
    until = {}
    for schema, following in zip(versions, versions[1:] + [None]):
        end = following.since_version if following else ALWAYS
        if end > OLDEST_OPSET:
            until.update((a, end) for a, entry in schema.attributes.items() if entry.required)
    return until


def main():
    frit = os.path.join(sys.argv[1], "apps", "frit")
    answer = subprocess.run([frit, "ops", "--json"], capture_output=True, text=True, check=True)
    wrong = 0
    for op in json.loads(answer.stdout)["operators"]:
        if op["domain"] or op["type"] in APART:
            continue
        known, wanted = set(op["attributes"]), schema_attributes(op["type"])
        if known != wanted:
            wrong += 1
            print(f"{op['type']}: missing {sorted(wanted - known)}, "
                  f"unknown to ONNX {sorted(known - wanted)}")
        if op["required_until_opset"] != required_until(op["type"]):
            wrong += 1
            print(f"{op['type']}: requires {op['required_until_opset']}, "
                  f"ONNX {required_until(op['type'])}")
    print(f"{wrong} operators differ")
    return 1 if wrong else 0


sys.exit(main())
