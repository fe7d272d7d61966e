"""Draws of corner values for corner_values.py: models of one node whose data hold NaN, infinities,
zeros of both signs, subnormal and largest numbers, the ends of the integers, and empty tensors.

The generators are those of random_draws.py and further FORMS of corner_forms.py. A case has one
structure (shapes, attributes, indices: drawn from its seed) and a data set for each of SETS, drawn
apart, so that kernels are compiled once and see every kind of value.
"""
import dataclasses

import numpy as np
import onnx
from onnx import helper, numpy_helper

import random_draws
from random_draws import Draw, Fixed

SETS = ("nan", "infinite", "tiny", "rows", "largest", "all")
WIDTHS = [7, 8, 9, 15, 16, 17, 31, 33]  # of vectors, and their neighbours
# Whether a value meets a zero of the padding or of a sine is open there: NaN and infinities stand in
# the data only. Forms of corner_forms.py have them in the weights.
ORDINARY_WEIGHTS = {"Conv", "ConvTranspose", "DFT", "STFT", "DeformConv"}

STORAGE = {np.dtype(t) for t in random_draws.STORAGE.values()}

# What sums or multiplies many terms may overflow on the way where the exact result does not
# (NUMERICS.md leaves that open), so their largest numbers are such that sums of products are finite.
MANY_TERMS = set("""Attention AveragePool BatchNormalization CausalConvWithState Col2Im Conv ConvTranspose
CumProd CumSum DFT DeformConv Det Einsum Gemm GlobalAveragePool GlobalLpPool GridSample GroupNormalization
InstanceNormalization LRN LayerNormalization LinearAttention LpNormalization LpPool MatMul Mean
MeanVarianceNormalization NegativeLogLikelihoodLoss RMSNormalization ReduceL1 ReduceL2 ReduceMean
ReduceLogSum ReduceProd ReduceSum ReduceSumSquare Resize RoiAlign RotaryEmbedding STFT SimplifiedLayerNormalization
SkipLayerNormalization SkipSimplifiedLayerNormalization SoftmaxCrossEntropyLoss Sum SwiGLU Upsample
FusedMatMul FlexAttention MultiHeadAttention GroupQueryAttention BiasGelu BiasSplitGelu AffineGrid
MatMulNBits
""".split())

PRODUCTS = {"CumProd", "Det", "ReduceProd"}

FORMS = {}


def form(*names):
    def register(function):
        for name in names:
            FORMS.setdefault(name, []).append(function)
        return function
    return register


def forms_of(operator):
    drawn = random_draws.GENERATORS.get(operator)
    return ([drawn] if drawn else []) + FORMS.get(operator, [])


@dataclasses.dataclass
class Case:
    operator: str
    opset: int
    model: onnx.ModelProto
    sets: list  # of (kind, name -> array)
    form: str

    def text(self):
        node = self.model.graph.node[0]
        data = self.sets[0][1]
        constants = {t.name: t for t in self.model.graph.initializer}
        inputs = []
        for name in node.input:
            if name in data:
                inputs.append(f"{data[name].dtype}{list(data[name].shape)}")
            elif name in constants:
                inputs.append(f"={numpy_helper.to_array(constants[name]).tolist()}"[:60])
            else:
                inputs.append("-")
        attributes = [f"{a.name}={helper.get_attribute_value(a)}"[:60] for a in node.attribute]
        return f"{self.operator}-{self.opset}({', '.join(inputs)}) {' '.join(attributes)}"


def corners(dtype, kind, many_terms, products):
    """Values of a set, for a float type."""
    info = random_draws.ml_dtypes.finfo(dtype)
    least, most = float(info.smallest_subnormal), float(info.max)
    normal = float(info.smallest_normal)
    if products:  # of many terms: they underflow on the way too
        least, most, normal = 2.0 ** -4, 16.0, 0.25
    elif many_terms:
        most = 20.0 if np.dtype(dtype).itemsize == 2 else 1e12
    table = {
        "nan": [np.nan], "infinite": [np.inf, -np.inf], "rows": [-np.inf, np.nan],
        "tiny": [0.0, -0.0, least, -least, normal, -1.0, 1.0],
        "largest": [most, -most, most / 2],
        "all": [np.nan, np.inf, -np.inf, 0.0, -0.0, least, most, -most, 1.0, -1.0, 0.5, -0.5]}
    return table[kind]


SHARE = {"nan": 0.06, "infinite": 0.08, "tiny": 0.7, "rows": 0.03, "largest": 0.06, "all": 0.4}


class CornerDraw(Draw):
    def __init__(self, seed, kind, keep_ordinary, operator):
        super().__init__(seed)
        name = random_draws.split_name(operator)[1]
        self.kind, self.keep_ordinary = kind, keep_ordinary
        self.many_terms, self.products = name in MANY_TERMS, name in PRODUCTS
        self.values = np.random.default_rng((seed, SETS.index(kind)))
        self.empty, self.floats = self.one_in(4), not self.one_in(3)

    def shape(self, low=0, high=4, least=0):
        dims = super().shape(low, high, max(least, 1))
        if dims and not self.one_in(3):
            dims[-1] = self.pick(WIDTHS)
        if self.empty and least == 0 and dims:
            dims[self.int(0, len(dims) - 1)] = 0
        return dims

    def dtype(self, schema, name, among=random_draws.NUMPY):
        variable = next(i.type_str for i in schema.inputs if i.name == name)
        if (self.floats and variable not in self.types
                and "float" in random_draws.allowed(schema, variable, among)):
            self.types[variable] = np.float32
        return super().dtype(schema, name, among)

    def array(self, dtype, dims, low=-3.0, high=3.0):
        dtype, rng = np.dtype(dtype), self.values
        if dtype in STORAGE:
            return super().array(dtype, dims, low, high)
        if dtype == np.bool_:
            return rng.integers(0, 2, dims).astype(np.bool_)
        if dtype.kind in "iu":
            return self.integers(dtype, dims, low, high)
        values = np.asarray(rng.uniform(low, high, dims)).astype(dtype)
        if self.ordinary and self.keep_ordinary:
            return values
        odd = np.asarray(rng.choice(corners(dtype, self.kind, self.many_terms, self.products), dims)).astype(dtype)
        values = np.where(rng.uniform(size=dims) < SHARE[self.kind], odd, values)
        if self.kind == "rows" and values.ndim > 0:  # whole rows of one value
            row = rng.choice([-np.inf, -np.inf, np.inf, np.nan, -0.0], values.shape[:-1])
            hit = rng.uniform(size=values.shape[:-1]) < 0.5
            values = np.where(hit[..., None], row[..., None].astype(dtype), values)
        return np.asarray(values).astype(dtype)

    def integers(self, dtype, dims, low, high):
        rng, info = self.values, np.iinfo(dtype)
        least = int(np.ceil(low))
        values = rng.integers(max(0, least) if dtype.kind == "u" else least,
                              int(np.ceil(high)) + 1, dims).astype(dtype)
        if self.kind not in ("largest", "all", "tiny") or (self.ordinary and self.keep_ordinary):
            return values
        ends = [info.min, info.max, info.max - 1, info.min + 1, 0, 1]
        ends = [0, 1, info.max // 2] if self.kind == "tiny" else ends
        odd = np.array(ends, dtype)[rng.integers(0, len(ends), dims)]
        return np.where(rng.uniform(size=dims) < 0.5, odd, values).astype(dtype)


def outputs_of(outputs):
    """How many outputs, or their types."""
    if isinstance(outputs, int):
        return [onnx.ValueInfoProto(name=f"y{i}") for i in range(outputs)]
    return [helper.make_tensor_value_info(f"y{i}", helper.np_dtype_to_tensor_dtype(np.dtype(t)), None)
            for i, t in enumerate(outputs)]


def model_of(operator, opset, inputs, attributes, outputs):
    domain, _, name = operator.rpartition("::")
    names, data, initializers, infos = [], {}, [], []
    for i, value in enumerate(inputs):
        names.append("" if value is None else f"x{i}")
        if isinstance(value, Fixed):
            initializers.append(numpy_helper.from_array(value.array, names[-1]))
        elif value is not None:
            data[names[-1]] = value
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            infos.append(helper.make_tensor_value_info(names[-1], kind, value.shape))
    while names and names[-1] == "":
        names.pop()
    results = outputs_of(outputs)
    node = helper.make_node(name, names, [r.name for r in results], "node", domain=domain, **attributes)
    graph = helper.make_graph([node], "corner", infos, results, initializers)
    model = helper.make_model(graph, opset_imports=random_draws.opset_imports(domain, opset))
    model.ir_version = min(model.ir_version, 10)
    return onnx.shape_inference.infer_shapes(model), data


def schema_of(operator, seed):
    """A version: of even seeds the newest, else any since opset 7."""
    domain, name = random_draws.split_name(operator)
    known = random_draws.SCHEMAS.get(operator, [random_draws.Foreign(name, domain)])
    if seed % 2 == 0:
        return known[-1]
    return known[int(np.random.default_rng(seed).integers(len(known)))]


def draw(operator, seed):
    """Case `seed` of an operator."""
    forms = forms_of(operator)
    generator = forms[seed % len(forms)]
    schema = schema_of(operator, seed // len(forms))
    opset = random_draws.opset_of(operator, schema)
    built = None
    sets = []
    for kind in SETS:
        keep = operator in ORDINARY_WEIGHTS and generator is forms[0]
        dice = CornerDraw(seed, kind, keep, operator)
        inputs, attributes, outputs = generator(dice, schema)
        if built is None:
            model, data = model_of(operator, opset, inputs, attributes, outputs)
            built = model
        else:
            data = {f"x{i}": v for i, v in enumerate(inputs)
                    if v is not None and not isinstance(v, Fixed)}
        sets.append((kind, data))
        if not data:
            break
    if all(a.size == 0 for a in sets[0][1].values()):
        sets = sets[:1]
    return Case(operator, opset, built, sets, generator.__name__)


import corner_forms  # noqa: E402,F401  (these fill FORMS)
import corner_products  # noqa: E402,F401
