"""Draws of random operators for random_operators.py: models of one node with their inputs.

A generator is a function of a Draw and a schema (onnx.defs) that returns its inputs, attributes and
number of outputs; GENERATORS lists them by operator, those of other domains as "domain::operator".
`fixed(array)` is an input known at build.
"""
import dataclasses
import re

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

NUMPY = {"float": np.float32, "double": np.float64, "float16": np.float16,
         "bfloat16": ml_dtypes.bfloat16, "int8": np.int8, "int16": np.int16, "int32": np.int32,
         "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32,
         "uint64": np.uint64, "bool": np.bool_}
STORAGE = {"float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
           "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
           "float8e8m0": ml_dtypes.float8_e8m0fnu, "float4e2m1": ml_dtypes.float4_e2m1fn,
           "float6e2m3": ml_dtypes.float6_e2m3fn, "float6e3m2": ml_dtypes.float6_e3m2fn,
           "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2,
           "uint2": ml_dtypes.uint2}
TYPES = NUMPY | STORAGE
EXTENTS = [0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 33]
MOST_ELEMENTS = 4096


@dataclasses.dataclass
class Fixed:
    """An input known at build."""
    array: np.ndarray


def fixed(values, dtype=np.int64):
    return Fixed(np.asarray(values, dtype))


@dataclasses.dataclass
class Case:
    operator: str
    opset: int
    model: onnx.ModelProto
    data: dict
    special: bool

    def text(self):
        node = self.model.graph.node[0]
        inputs = []
        constants = {t.name: t for t in self.model.graph.initializer}
        for name in node.input:
            if name in self.data:
                inputs.append(f"{self.data[name].dtype}{list(self.data[name].shape)}")
            elif name in constants:
                inputs.append(f"={numpy_helper.to_array(constants[name]).tolist()}")
            else:
                inputs.append("-")
        attributes = [f"{a.name}={helper.get_attribute_value(a)}" for a in node.attribute]
        mark = " special" if self.special else ""
        return f"{self.operator}-{self.opset}({', '.join(inputs)}) {' '.join(attributes)}{mark}"


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.special = False  # the case holds NaN, Inf or -0
        self.ordinary = False  # further arrays hold none
        self.types = {}

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def one_in(self, n):
        return self.rng.integers(n) == 0

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def ints(self, count, low, high):
        return [self.int(low, high) for _ in range(count)]

    def shape(self, low=0, high=4, least=0):
        """Extents of a random rank, at most MOST_ELEMENTS elements."""
        dims = []
        for _ in range(self.int(low, high)):
            room = MOST_ELEMENTS // max(1, int(np.prod(dims or [1])))
            dims.append(self.pick([e for e in EXTENTS if least <= e <= max(room, least, 1)]))
        return dims

    def broadcast(self, dims):
        """A shape that broadcasts to `dims`."""
        part = list(dims[self.int(0, len(dims)):]) if self.one_in(3) else list(dims)
        return [1 if self.one_in(4) else d for d in part]

    def array(self, dtype, dims, low=-3.0, high=3.0):
        dtype = np.dtype(dtype)
        if dtype == np.bool_:
            return self.rng.integers(0, 2, dims).astype(np.bool_)
        if dtype.kind in "iu":
            least = int(np.ceil(low))
            return self.rng.integers(max(0, least) if dtype.kind == "u" else least,
                                     int(np.ceil(high)) + 1, dims).astype(dtype)
        values = self.rng.uniform(low, high, dims)
        if self.special and values.size and not self.ordinary:
            odd = self.rng.choice([np.nan, np.inf, -np.inf, -0.0], dims)
            values = np.where(self.rng.uniform(size=dims) < 0.07, odd, values)
        return np.asarray(values).astype(dtype)

    def without_special(self):
        self.ordinary = True

    def dtype(self, schema, name, among=NUMPY):
        """A numpy type that the constraint of input `name` allows: the same for one constraint."""
        variable = next(i.type_str for i in schema.inputs if i.name == name)
        if variable not in self.types:
            known = allowed(schema, variable, among)
            floats = [n for n in known if n == "float"]
            self.types[variable] = TYPES[self.pick(known + floats * 2)]
        return self.types[variable]

    def first(self, schema, dims, low=-3.0, high=3.0, place=0):
        return self.array(self.dtype(schema, schema.inputs[place].name), dims, low, high)

    def axis(self, rank):
        return self.int(-rank, rank - 1)


def allowed(schema, variable, among=NUMPY):
    """Names of the types of `among` that the schema allows a type variable (or a type) to be."""
    texts = next((c.allowed_type_strs for c in schema.type_constraints
                  if c.type_param_str == variable), [variable])
    matches = [re.fullmatch(r"tensor\((\w+)\)", text) for text in texts]
    return sorted({m[1] for m in matches if m} & set(among))


GENERATORS = {}


def generator(*names):
    def register(function):
        for name in names:
            GENERATORS[name] = function
        return function
    return register


@dataclasses.dataclass
class Foreign:
    """Stands for the schema of an operator that the onnx package does not define."""
    name: str
    domain: str
    since_version: int = 1
    attributes: tuple = ()


def split_name(operator):
    domain, _, name = operator.rpartition("::")
    return domain, name


def schemas():
    """operator -> its schema versions in force from opset 7 (of other domains: 1) on."""
    versions = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        key = f"{schema.domain}::{schema.name}" if schema.domain else schema.name
        versions.setdefault(key, []).append(schema)
    for name, found in versions.items():
        found.sort(key=lambda s: s.since_version)
        old = [s for s in found if s.since_version <= 7][-1:]
        versions[name] = [s for s in old + [s for s in found if s.since_version > 7]
                          if not s.deprecated]
    for operator in GENERATORS:
        domain, name = split_name(operator)
        versions.setdefault(operator, [Foreign(name, domain)])
    return versions


def opset_of(operator, schema):
    """The opset of the operator's domain for a model of this version."""
    if "::" in operator:
        return schema.since_version
    return 17 if isinstance(schema, Foreign) else max(7, schema.since_version)


def opset_imports(domain, opset):
    found = [helper.make_opsetid(domain, opset)]
    if domain:
        found.append(helper.make_opsetid("", 17 if domain == "com.microsoft" else 26))
    return found


def model_of(operator, opset, inputs, attributes, outputs):
    names, data, initializers, infos = [], {}, [], []
    for i, value in enumerate(inputs):
        name = "" if value is None else f"x{i}"
        names.append(name)
        if value is None:
            continue
        array = value.array if isinstance(value, Fixed) else value
        if isinstance(value, Fixed):
            initializers.append(numpy_helper.from_array(array, name))
        else:
            data[name] = array
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            infos.append(helper.make_tensor_value_info(name, kind, array.shape))
    while names and names[-1] == "":
        names.pop()
    results = [f"y{i}" for i in range(outputs)]
    domain, name = split_name(operator)
    node = helper.make_node(name, names, results, domain=domain, **attributes)
    graph = helper.make_graph([node], "random", infos, [onnx.ValueInfoProto(name=r) for r in results],
                              initializers)
    model = helper.make_model(graph, opset_imports=opset_imports(domain, opset))
    model.ir_version = min(model.ir_version, 10)
    return onnx.shape_inference.infer_shapes(model), data


def versions():
    """(operator, version) of every schema version that a case may be of."""
    return [(operator, schema.since_version) for operator in sorted(GENERATORS)
            for schema in SCHEMAS[operator]]


def draw(seed, only=None, version=None):
    """Case `seed`, of any operator and version or of these."""
    dice = Draw(seed)
    operator = only or dice.pick(sorted(GENERATORS))
    schema = dice.pick([s for s in SCHEMAS[operator] if version in (None, s.since_version)])
    opset = opset_of(operator, schema)
    dice.special = bool(dice.one_in(6))
    inputs, attributes, outputs = GENERATORS[operator](dice, schema)
    model, data = model_of(operator, opset, inputs, attributes, outputs)
    special = dice.special or any(a.size == 0 for a in data.values())
    return Case(operator, opset, model, data, special)


import random_attention  # noqa: E402,F401  (these fill GENERATORS)
import random_contrib  # noqa: E402,F401
import random_generators  # noqa: E402,F401
import random_index  # noqa: E402,F401
import random_known  # noqa: E402,F401
import random_norms  # noqa: E402,F401
import random_quantised  # noqa: E402,F401
import random_vision  # noqa: E402,F401

SCHEMAS = schemas()
