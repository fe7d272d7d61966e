"""The generators of random_draws.py, by family."""
import numpy as np

from random_draws import Draw, fixed, generator


# --- one input -------------------------------------------------------------------------------------
def has(schema, name):
    return name in schema.attributes


@generator("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Cos",
           "Cosh", "Erf", "Exp", "Floor", "HardSwish", "Identity", "IsNaN", "Log", "Mish", "Neg",
           "Not", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus",
           "Softsign", "Sqrt", "Tan", "Tanh")
def unary(dice: Draw, schema):
    positive = schema.name in ("Log", "Sqrt", "Acosh")
    unit = schema.name in ("Acos", "Asin", "Atanh")
    low, high = (1.0, 9.0) if positive else (-0.99, 0.99) if unit else (-6.0, 6.0)
    return [dice.first(schema, dice.shape(), low, high)], {}, 1


ALPHAS = {"Celu": ["alpha"], "Elu": ["alpha"], "HardSigmoid": ["alpha", "beta"],
          "LeakyRelu": ["alpha"], "Selu": ["alpha", "gamma"], "Shrink": ["bias", "lambd"],
          "Swish": ["alpha"], "ThresholdedRelu": ["alpha"]}


@generator(*ALPHAS)
def parametric(dice, schema):
    attributes = {name: round(float(dice.rng.uniform(0.1, 2.0)), 3) for name in ALPHAS[schema.name]
                  if not dice.one_in(3)}
    return [dice.first(schema, dice.shape(), -5, 5)], attributes, 1


@generator("Gelu")
def gelu(dice, schema):
    attributes = {} if dice.one_in(2) else {"approximate": dice.pick(["none", "tanh"])}
    return [dice.first(schema, dice.shape(), -5, 5)], attributes, 1


@generator("IsInf")
def isinf(dice, schema):
    dice.special = True
    attributes = {"detect_negative": dice.int(0, 1), "detect_positive": dice.int(0, 1)}
    return [dice.first(schema, dice.shape())], attributes, 1


@generator("Clip")
def clip(dice, schema):
    x = dice.first(schema, dice.shape(), -5, 5)
    low, high = dice.array(x.dtype, [], -3, 0), dice.array(x.dtype, [], 1, 4)
    if schema.since_version < 11:
        return [x], {"min": float(low), "max": float(high)}, 1
    ends = [None if dice.one_in(3) else low, None if dice.one_in(3) else high]
    if dice.one_in(2):
        ends = [None if e is None else fixed(e, x.dtype) for e in ends]
    dice.special = False
    return [x, *ends], {}, 1


# --- two inputs and more -----------------------------------------------------------------------------
@generator("Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Greater",
           "GreaterOrEqual", "Less", "LessOrEqual", "Mul", "Or", "PRelu", "Sub", "Xor")
def binary(dice, schema):
    dims = dice.shape()
    other = dice.broadcast(dims)
    pair = [dice.first(schema, dims), dice.first(schema, other, place=1)]
    return (pair if schema.name == "PRelu" or dice.one_in(2) else pair[::-1]), {}, 1


@generator("Div")
def divide(dice, schema):
    dims = dice.shape()
    x, y = dice.first(schema, dims, -9, 9), dice.first(schema, dice.broadcast(dims), 1, 5)
    return [x, y], {}, 1


@generator("Mod")
def mod(dice, schema):
    dims = dice.shape()
    x, y = dice.first(schema, dims, -9, 9), dice.first(schema, dice.broadcast(dims), 1, 5)
    floating = x.dtype.kind not in "iu"
    if not floating and x.dtype.kind == "i" and dice.one_in(2):
        y = np.asarray(-y)
    return [x, y], {"fmod": 1 if floating else dice.int(0, 1)}, 1


@generator("Pow")
def power(dice, schema):
    dims = dice.shape()
    x = dice.first(schema, dims, 1, 3)
    exponent = dice.first(schema, dice.broadcast(dims), 0, 3, place=1)
    return [x, exponent], {}, 1


@generator("BitShift")
def bitshift(dice, schema):
    dims = dice.shape()
    x, by = dice.first(schema, dims, 0, 100), dice.first(schema, dice.broadcast(dims), 0, 7)
    return [x, by], {"direction": dice.pick(["LEFT", "RIGHT"])}, 1


@generator("Max", "Min", "Sum", "Mean")
def variadic(dice, schema):
    dims = dice.shape()
    return [dice.first(schema, dims)] + [dice.first(schema, dice.broadcast(dims))
                                         for _ in range(dice.int(0, 3))], {}, 1


@generator("Where")
def where(dice, schema):
    dims = dice.shape()
    return [dice.first(schema, dice.broadcast(dims)), dice.first(schema, dims, place=1),
            dice.first(schema, dice.broadcast(dims), place=2)], {}, 1


# --- reductions --------------------------------------------------------------------------------------
@generator("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
           "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduction(dice, schema):
    # the identity of an empty maximum is open in older versions
    x = dice.first(schema, dice.shape(1, 4, least=1), 0.5, 2)
    if schema.name == "ReduceProd" and x.dtype.kind in "iu":
        x = dice.array(x.dtype, x.shape, 1, 1)  # what overflows is open
    axes = sorted({dice.int(0, x.ndim - 1) for _ in range(dice.int(1, x.ndim))})
    axes = [a - x.ndim if schema.since_version >= 11 and dice.one_in(3) else a for a in axes]
    attributes = {"keepdims": dice.int(0, 1)}
    if has(schema, "noop_with_empty_axes"):
        if dice.one_in(3):
            attributes["noop_with_empty_axes"] = dice.int(0, 1)
            return [x], attributes, 1
        return [x, fixed(axes)], attributes, 1
    if not dice.one_in(4):
        attributes["axes"] = axes
    return [x], attributes, 1


@generator("ArgMax", "ArgMin")
def arg(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1))
    attributes = {"axis": dice.int(0, x.ndim - 1), "keepdims": dice.int(0, 1)}
    if has(schema, "select_last_index"):
        attributes["select_last_index"] = dice.int(0, 1)
    dice.special = False
    if x.dtype.kind not in "iu":
        x = dice.array(x.dtype, x.shape)
    return [x], attributes, 1


@generator("Softmax", "LogSoftmax", "Hardmax")
def softmax(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1), -6, 6)
    return [x], {"axis": dice.int(0, x.ndim - 1)}, 1


@generator("CumSum", "CumProd")
def cumulative(dice, schema):
    x = dice.first(schema, dice.shape(1, 3), 0.5, 1.5)
    return [x, fixed(dice.axis(x.ndim), np.int32)], {"exclusive": dice.int(0, 1),
                                                     "reverse": dice.int(0, 1)}, 1


@generator("LpNormalization")
def lp_normalization(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1), 0.5, 2)
    return [x], {"axis": dice.axis(x.ndim), "p": dice.int(1, 2)}, 1


@generator("LayerNormalization", "RMSNormalization")
def layer_norm(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=2))
    axis = dice.int(0, x.ndim - 1)
    inputs = [x, dice.array(x.dtype, x.shape[axis:])]
    if schema.name == "LayerNormalization" and dice.one_in(2):
        inputs.append(dice.array(x.dtype, x.shape[axis:]))
    return inputs, {"axis": axis - x.ndim if dice.one_in(2) else axis}, 1


@generator("InstanceNormalization")
def instance_norm(dice, schema):
    n, c = dice.int(1, 2), dice.int(1, 17)
    x = dice.first(schema, [n, c, *dice.pick([[7], [5, 3], [16, 2]])])
    return [x, dice.array(x.dtype, [c]), dice.array(x.dtype, [c])], {}, 1


@generator("GroupNormalization")
def group_norm(dice, schema):
    groups, per = dice.int(1, 4), dice.int(1, 5)
    x = dice.first(schema, [dice.int(1, 2), groups * per, *dice.pick([[7], [5, 3]])])
    size = groups if schema.since_version < 21 else groups * per
    return [x, dice.array(x.dtype, [size]), dice.array(x.dtype, [size])], {"num_groups": groups}, 1


@generator("BatchNormalization")
def batch_norm(dice, schema):
    c = dice.int(1, 17)
    x = dice.first(schema, [dice.int(1, 2), c, *dice.pick([[], [7], [5, 3]])])
    rest = [dice.array(x.dtype, [c]) for _ in range(3)]
    return [x, *rest, dice.array(x.dtype, [c], 0.5, 2)], {"epsilon": 1e-3}, 1


@generator("LRN")
def lrn(dice, schema):
    x = dice.first(schema, [dice.int(1, 2), dice.int(1, 17), 3, 5])
    return [x], {"size": dice.pick([1, 3, 5]), "alpha": 0.02, "beta": 0.75, "bias": 1.5}, 1


# --- products ----------------------------------------------------------------------------------------
@generator("MatMul")
def matmul(dice, schema):
    m, k, n = (dice.pick([1, 2, 5, 16, 17]) for _ in range(3))
    batch = dice.pick([[], [], [2], [3, 2]])
    a, b = [*batch, m, k], [*(batch if dice.one_in(2) else [1] * len(batch)), k, n]
    if dice.one_in(6):
        a = [k]
    elif dice.one_in(6):
        b = [k]
    return [dice.first(schema, a), dice.first(schema, b)], {}, 1


@generator("Gemm")
def gemm(dice, schema):
    m, k, n = (dice.pick([1, 2, 5, 16, 17]) for _ in range(3))
    ta, tb = dice.int(0, 1), dice.int(0, 1)
    a, b = ([k, m] if ta else [m, k]), ([n, k] if tb else [k, n])
    inputs = [dice.first(schema, a), dice.first(schema, b)]
    if schema.since_version < 11 or dice.one_in(2):
        inputs.append(dice.first(schema, dice.pick([[m, n], [n], [1, n], [m, 1], [1]])))
    attributes = {"transA": ta, "transB": tb}
    if inputs[0].dtype.kind not in "iu":
        attributes |= {"alpha": 0.5, "beta": 2.0} if dice.one_in(2) else {}
    return inputs, attributes, 1


def window(dice, spatial, kernel):
    rank = len(spatial)
    attributes = {"strides": dice.ints(rank, 1, 3)} if dice.one_in(2) else {}
    if dice.one_in(3):
        attributes["auto_pad"] = dice.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif dice.one_in(2):
        attributes["pads"] = [dice.int(0, k - 1) for k in kernel + kernel]
    return attributes


@generator("Conv")
def conv(dice, schema):
    rank = dice.int(1, 3)
    group = 1 if dice.one_in(2) else dice.int(1, 4)
    c, k = dice.int(1, 5), group * dice.int(1, 6)
    spatial, kernel = dice.ints(rank, 5, 9), dice.ints(rank, 1, 3)
    attributes = {"group": group} | window(dice, spatial, kernel)
    if dice.one_in(4):
        attributes["dilations"] = dice.ints(rank, 1, 2)
    x = dice.first(schema, [dice.int(1, 2), group * c, *spatial])
    dice.without_special()  # whether a pad times an infinite weight is a NaN is open
    inputs = [x, dice.array(x.dtype, [k, c, *kernel])]
    if dice.one_in(2):
        inputs.append(dice.array(x.dtype, [k]))
    if dice.one_in(2):
        inputs[1:] = [fixed(w, x.dtype) for w in inputs[1:]]
    return inputs, attributes, 1


@generator("ConvTranspose")
def conv_transpose(dice, schema):
    rank = dice.int(1, 3)
    group = 1 if dice.one_in(2) else dice.int(1, 3)
    c, k = group * dice.int(1, 3), dice.int(1, 5)
    spatial, kernel = dice.ints(rank, 2, 5), dice.ints(rank, 1, 3)
    strides = dice.ints(rank, 1, 3)
    attributes = {"group": group, "strides": strides}
    if dice.one_in(3):
        attributes["output_padding"] = [dice.int(0, s - 1) for s in strides]
    x = dice.first(schema, [dice.int(1, 2), c, *spatial])
    dice.without_special()
    inputs = [x, dice.array(x.dtype, [c, k, *kernel])]
    if dice.one_in(2):
        inputs[1:] = [fixed(w, x.dtype) for w in inputs[1:]]
    return inputs, attributes, 1


@generator("MaxPool", "AveragePool", "LpPool")
def pool(dice, schema):
    rank = dice.int(1, 3)
    spatial, kernel = dice.ints(rank, 5, 9), dice.ints(rank, 1, 3)
    attributes = {"kernel_shape": kernel} | window(dice, spatial, kernel)
    if has(schema, "ceil_mode"):
        attributes["ceil_mode"] = dice.int(0, 1)
    if has(schema, "dilations") and dice.one_in(3):
        attributes["dilations"] = dice.ints(rank, 1, 2)
    if schema.name == "AveragePool":
        attributes["count_include_pad"] = dice.int(0, 1)
    if schema.name == "LpPool":
        attributes["p"] = dice.int(1, 3)
    x = dice.first(schema, [dice.int(1, 2), dice.int(1, 5), *spatial], 0.1, 3)
    return [x], attributes, 1


@generator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(dice, schema):
    dims = [dice.int(1, 2), dice.int(1, 17), *dice.pick([[7], [5, 3], [2, 3, 4]])]
    return [dice.first(schema, dims, 0.1, 3)], {}, 1


# --- moving data -------------------------------------------------------------------------------------
@generator("Transpose")
def transpose(dice, schema):
    x = dice.first(schema, dice.shape(1, 5))
    perm = {} if dice.one_in(4) else {"perm": [int(i) for i in dice.rng.permutation(x.ndim)]}
    return [x], perm, 1


@generator("Reshape")
def reshape(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1))
    count, dims = x.size, []
    while count > 1 and len(dims) < 4 and not dice.one_in(4):
        divisor = dice.pick([d for d in range(1, count + 1) if count % d == 0])
        dims.append(divisor)
        count //= divisor
    dims.append(count)
    if dice.one_in(2):
        dims[dice.int(0, len(dims) - 1)] = -1
    return [x, fixed(dims)], {}, 1


@generator("Flatten")
def flatten(dice, schema):
    x = dice.first(schema, dice.shape(1, 4))
    return [x], {"axis": dice.int(0, x.ndim)}, 1


@generator("Squeeze")
def squeeze(dice, schema):
    dims = dice.shape(1, 3)
    axes = sorted({dice.int(0, len(dims)) for _ in range(2)})
    for a in axes:
        dims.insert(a, 1)
    x = dice.first(schema, dims)
    if schema.since_version < 13:
        return [x], {"axes": axes}, 1
    return [x, fixed(axes)], {}, 1


@generator("Unsqueeze")
def unsqueeze(dice, schema):
    x = dice.first(schema, dice.shape(0, 3))
    axes = sorted({dice.int(0, x.ndim) for _ in range(2)})
    if schema.since_version < 13:
        return [x], {"axes": axes}, 1
    return [x, fixed(axes)], {}, 1


@generator("Concat")
def concat(dice, schema):
    dims = dice.shape(1, 4)
    axis = dice.int(0, len(dims) - 1)
    arrays = []
    for _ in range(dice.int(1, 4)):
        dims[axis] = dice.int(0, 5)
        arrays.append(dice.first(schema, list(dims)))
    return arrays, {"axis": axis}, 1


@generator("Split")
def split(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1))
    axis = dice.int(0, x.ndim - 1)
    extent = x.shape[axis]
    first = dice.int(0, extent)
    if schema.since_version >= 13:
        return [x, fixed([first, extent - first])], {"axis": axis}, 2
    return [x], {"axis": axis, "split": [first, extent - first]}, 2


@generator("Slice")
def slices(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1))
    axes = sorted({dice.int(0, x.ndim - 1) for _ in range(2)})
    starts = [dice.int(-x.shape[a] - 1, x.shape[a]) for a in axes]
    ends = [dice.int(-x.shape[a] - 1, x.shape[a] + 2) for a in axes]
    if schema.since_version < 10:
        return [x], {"axes": axes, "starts": starts, "ends": ends}, 1
    steps = [dice.pick([-3, -2, -1, 1, 1, 2, 3]) for _ in axes]
    return [x, fixed(starts), fixed(ends), fixed(axes), fixed(steps)], {}, 1


@generator("Pad")
def pad(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=3))
    mode = dice.pick(["constant", "edge", "reflect"])
    pads = dice.ints(2 * x.ndim, 0, 2)
    if schema.since_version < 11:
        return [x], {"mode": mode, "pads": pads}, 1
    inputs = [x, fixed(pads)]
    if mode == "constant" and dice.one_in(2):
        inputs.append(fixed(dice.array(x.dtype, [], 1, 2), x.dtype))
    return inputs, {"mode": mode}, 1


@generator("Tile")
def tile(dice, schema):
    x = dice.first(schema, dice.shape(1, 3))
    return [x, fixed(dice.ints(x.ndim, 0, 3))], {}, 1


@generator("Expand")
def expand(dice, schema):
    dims = dice.shape(1, 4)
    x = dice.first(schema, dice.broadcast(dims))
    return [x, fixed(dims)], {}, 1


@generator("DepthToSpace", "SpaceToDepth")
def blocks(dice, schema):
    b = dice.int(1, 3)
    deep = schema.name == "DepthToSpace"
    dims = [2, b * b * dice.int(1, 3), 3, 5] if deep else [2, 3, 2 * b, 3 * b]
    attributes = {"blocksize": b}
    if has(schema, "mode"):
        attributes["mode"] = dice.pick(["DCR", "CRD"])
    return [dice.first(schema, dims)], attributes, 1


@generator("Trilu")
def trilu(dice, schema):
    x = dice.first(schema, dice.shape(2, 4))
    inputs = [x] if dice.one_in(3) else [x, fixed(dice.int(-4, 4))]
    return inputs, {"upper": dice.int(0, 1)}, 1


def indices(dice, dims, extent, negative=True):
    return dice.rng.integers(-extent if negative else 0, extent, dims).astype(
        dice.pick([np.int32, np.int64]))


@generator("Gather")
def gather(dice, schema):
    x = dice.first(schema, dice.shape(1, 4, least=1))
    axis = dice.axis(x.ndim)
    at = indices(dice, dice.shape(0, 2), x.shape[axis], schema.since_version >= 11)
    return [x, at], {"axis": axis}, 1


@generator("GatherElements")
def gather_elements(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1))
    axis = dice.axis(x.ndim)
    dims = list(x.shape)
    dims[axis] = dice.int(1, 9)
    return [x, indices(dice, dims, x.shape[axis])], {"axis": axis}, 1


@generator("GatherND")
def gather_nd(dice, schema):
    x = dice.first(schema, dice.shape(2, 4, least=1))
    last = dice.int(1, x.ndim)
    rows = dice.int(1, 7)
    at = np.stack([dice.rng.integers(-e, e, rows) for e in x.shape[:last]], -1).astype(np.int64)
    return [x, at], {}, 1


@generator("ScatterElements")
def scatter_elements(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1))
    axis = dice.axis(x.ndim)
    dims = list(x.shape)
    attributes = {"axis": axis}
    if has(schema, "reduction"):
        modes = ["none", "add", "mul"] + (["max", "min"] if schema.since_version >= 18 else [])
        attributes["reduction"] = dice.pick(modes)
    dims[axis] = dice.int(1, x.shape[axis])
    # unique places: the order of duplicates is open without a reduction
    order = np.argsort(dice.rng.uniform(size=x.shape), axis=axis)
    at = np.take(order, range(dims[axis]), axis=axis).astype(np.int64)
    return [x, at, dice.array(x.dtype, dims)], attributes, 1


@generator("ScatterND")
def scatter_nd(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1))
    rows = dice.int(1, x.shape[0])
    at = dice.rng.permutation(x.shape[0])[:rows].reshape(rows, 1).astype(np.int64)
    attributes = {}
    if has(schema, "reduction"):
        modes = ["none", "add", "mul"] + (["max", "min"] if schema.since_version >= 18 else [])
        attributes["reduction"] = dice.pick(modes)
    return [x, at, dice.array(x.dtype, [rows, *x.shape[1:]])], attributes, 1


@generator("TopK")
def topk(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1), -100, 100)
    dice.special = False
    x = dice.array(x.dtype, x.shape, -100, 100)
    axis = dice.axis(x.ndim)
    attributes = {"axis": axis}
    k = dice.int(1, x.shape[axis])
    if schema.since_version < 10:
        return [x], {"axis": axis % x.ndim, "k": k}, 2
    if has(schema, "largest"):
        attributes["largest"] = dice.int(0, 1)
    return [x, fixed([k])], attributes, 2


@generator("OneHot")
def one_hot(dice, schema):
    depth = dice.int(1, 9)
    at = dice.array(dice.dtype(schema, "indices"), dice.shape(0, 2), 0, depth - 1)
    values = dice.first(schema, [2], place=2)
    at = np.floor(at.astype(np.float64)).astype(at.dtype)
    return [at, fixed(depth), values], {"axis": dice.int(-1, at.ndim)}, 1


@generator("ReverseSequence")
def reverse_sequence(dice, schema):
    time, batch = dice.int(1, 9), dice.int(1, 5)
    x = dice.first(schema, [time, batch, 3])
    lengths = dice.rng.integers(1, time + 1, batch).astype(np.int64)
    return [x, lengths], {"time_axis": 0, "batch_axis": 1}, 1


@generator("EyeLike")
def eye_like(dice, schema):
    x = dice.first(schema, [dice.int(1, 7), dice.int(1, 7)])
    return [x], {"k": dice.int(-3, 3)}, 1


# --- types -------------------------------------------------------------------------------------------
@generator("Cast")
def cast(dice, schema):
    import onnx
    from random_draws import NUMPY
    dice.special = False
    x = dice.first(schema, dice.shape(), 0, 100)
    to = np.dtype(NUMPY[dice.pick(sorted(NUMPY))])
    if str(to) == "bfloat16" and schema.since_version < 13:
        to = np.dtype(np.float32)
    return [x], {"to": onnx.helper.np_dtype_to_tensor_dtype(to)}, 1


@generator("Resize")
def resize(dice, schema):
    rank = dice.int(1, 2)
    x = dice.first(schema, [1, 2, *dice.ints(rank, 2, 7)], 0, 9)
    scales = [1.0, 1.0, *(dice.pick([0.5, 0.6, 1.0, 1.5, 2.0, 3.0]) for _ in range(rank))]
    mode = dice.pick(["nearest", "linear"])
    if schema.since_version < 11:
        return [x, fixed(scales, np.float32)], {"mode": mode}, 1
    where = dice.pick(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])
    inputs = [x, fixed([], np.float32) if schema.since_version < 13 else None,
              fixed(scales, np.float32)]
    return inputs, {"mode": mode, "coordinate_transformation_mode": where}, 1
