"""Further forms of operators for corner_draws.py: empty tensors where the generators of
random_draws.py have none, and operators without a generator there."""
import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

from corner_draws import WIDTHS, form
from random_draws import NUMPY, fixed

F32 = np.float32


def wide(dice):
    return dice.pick(WIDTHS)


# --- moving and casting ------------------------------------------------------------------------------
@form("Cast", "CastLike")
def cast(dice, schema):
    """Every value of a type to every other."""
    source = np.dtype(NUMPY[dice.pick(["float", "float", "double", "float16", "bfloat16", "int64",
                                       "uint8", "int32"])])
    x = dice.array(source, [3, wide(dice)], -300, 300)
    to = np.dtype(NUMPY[dice.pick(sorted(NUMPY))])
    if "bfloat16" in (str(to), str(source)) and schema.since_version < 13:
        return [dice.array(F32, [3, 9])], {"to": helper.np_dtype_to_tensor_dtype(np.dtype(np.int32))}, 1
    if schema.name == "CastLike":
        return [x, np.zeros([1], to)], {}, 1
    return [x], {"to": helper.np_dtype_to_tensor_dtype(to)}, 1


@form("BitCast")
def bit_cast(dice, schema):
    x = dice.array(dice.pick([F32, np.int32, np.uint32]), [dice.pick([0, 3]), wide(dice)])
    return [x], {"to": int(dice.pick([onnx.TensorProto.FLOAT, onnx.TensorProto.INT32]))}, 1


@form("Transpose", "Identity", "Flatten", "Dropout")
def moved(dice, schema):
    return [dice.first(schema, [dice.int(0, 3), 5, wide(dice)])], {}, 1


@form("Reshape")
def reshape_empty(dice, schema):
    return [dice.array(F32, [0, 3, 4]), fixed([4, 0, 3])], {"allowzero": 1} \
        if "allowzero" in schema.attributes else {}, 1


@form("Constant")
def constant(dice, schema):
    value = dice.array(F32, [3, 17])
    return [], {"value": numpy_helper.from_array(value)}, 1


@form("ConstantOfShape")
def constant_of_shape(dice, schema):
    dims = [3, dice.pick([0, 7])]
    value = dice.pick([np.nan, -np.inf, -0.0])
    return [fixed(dims)], {"value": numpy_helper.from_array(np.asarray([value], F32))}, 1


@form("Range")
def empty_range(dice, schema):
    start, limit, delta = dice.pick([(3, 3, 1), (3, 1, 1), (1, 9, -1), (9, 1, -3)])
    return [fixed(v, F32) for v in (start, limit, delta)], {}, 1


@form("NonZero")
def non_zero(dice, schema):
    x = dice.pick([np.array([[np.nan, 0.0, -0.0, np.inf]]), np.zeros([0, 3]), np.asarray(np.nan)])
    return [fixed(x, F32)], {}, 1


@form("Unique")
def unique(dice, schema):
    x = np.array([2.0, -0.0, 0.0, np.inf, -np.inf, 2.0])
    return [fixed(x, F32)], {"sorted": 1}, 1


@form("Concat")
def concat_empty(dice, schema):
    parts = [dice.array(F32, [3, n, 2]) for n in (0, 4, 0)]
    return parts[:dice.pick([1, 2, 3])], {"axis": 1}, 1


@form("Split")
def split_empty(dice, schema):
    x = dice.array(F32, [3, wide(dice)])
    if schema.since_version < 13:
        return [x], {"axis": 1, "split": [0, x.shape[1]]}, 2
    return [x, fixed([0, x.shape[1]])], {"axis": 1}, 2


@form("Slice")
def slice_empty(dice, schema):
    x = dice.array(F32, [dice.pick([0, 5]), wide(dice)])
    if schema.since_version < 10:
        return [x], {"starts": [0, 3], "ends": [9, 3], "axes": [0, 1]}, 1
    return [x, fixed([0, 3]), fixed([9, dice.pick([3, 2, 5])]), fixed([0, 1])], {}, 1


@form("Pad")
def pad_empty(dice, schema):
    x, value = dice.array(F32, [0, 9]), np.asarray(dice.pick([np.nan, -np.inf, -0.0]), F32)
    pads = [1, 0, 2, 3]
    if schema.since_version < 11:
        return [x], {"pads": pads, "value": float(value)}, 1
    return [x, fixed(pads), fixed(value, F32) if dice.one_in(2) else value], {}, 1


@form("Tile")
def tile_none(dice, schema):
    return [dice.array(F32, [3, wide(dice)]), fixed([2, dice.pick([0, 1])])], {}, 1


@form("Expand")
def expand_empty(dice, schema):
    return [dice.array(F32, [1, wide(dice)]), fixed([0, 1])], {}, 1


@form("DepthToSpace", "SpaceToDepth")
def blocks_empty(dice, schema):
    return [dice.first(schema, [dice.pick([0, 2]), 4, dice.pick([0, 4]), 8])], {"blocksize": 2}, 1


@form("CenterCropPad")
def crop_empty(dice, schema):
    return [dice.first(schema, [0, 9]), fixed([4, 5])], {}, 1


@form("Upsample")
def upsample(dice, schema):
    x, scales = dice.first(schema, [1, dice.int(0, 2), 3, 17]), [1.0, 1.0, 2.0, 2.0]
    mode = dice.pick(["nearest", "linear"])
    if schema.since_version < 9:
        return [x], {"mode": mode, "scales": scales}, 1
    return [x, fixed(scales, F32)], {"mode": mode}, 1


@form("Resize")
def resize_wide(dice, schema):
    x = dice.first(schema, [dice.int(0, 2), 2, 5, wide(dice)])
    mode = dice.pick(["nearest", "linear", "cubic"]) if schema.since_version >= 11 else "linear"
    scales = fixed([1.0, 1.0, 2.0, dice.pick([0.5, 2.0])], F32)
    if schema.since_version < 11:
        return [x, scales], {"mode": mode}, 1
    return [x, fixed([], F32), scales], {"mode": mode}, 1


# --- picking -----------------------------------------------------------------------------------------
@form("Gather")
def gather_none(dice, schema):
    x = dice.first(schema, [3, dice.pick([5, 0]), wide(dice)])
    return [x, np.zeros([0, 2], np.int64)], {"axis": 1}, 1


@form("GatherElements")
def gather_elements_none(dice, schema):
    return [dice.first(schema, [3, 9]), np.zeros([0, 9], np.int64)], {"axis": 0}, 1


@form("GatherND")
def gather_nd_none(dice, schema):
    return [dice.first(schema, [3, 9]), np.zeros([0, 1], np.int64)], {}, 1


@form("ScatterElements", "Scatter")
def scatter_none(dice, schema):
    x = dice.first(schema, [3, wide(dice)])
    rows = dice.pick([0, 2])
    at = np.arange(rows)[:, None].repeat(x.shape[1], 1).astype(np.int64)
    return [x, at, dice.array(x.dtype, at.shape)], {"axis": 0}, 1


@form("ScatterElements")
def scatter_extremes(dice, schema):
    """Maximum and minimum of what meets one place."""
    x = dice.array(F32, [5, wide(dice)])
    at = np.zeros([3, x.shape[1]], np.int64)
    if schema.since_version < 18:
        return [x, at[:1], dice.array(F32, at[:1].shape)], {"axis": 0}, 1
    return [x, at, dice.array(F32, at.shape)], {"axis": 0, "reduction": dice.pick(["max", "min"])}, 1


@form("ScatterND")
def scatter_nd_none(dice, schema):
    return [dice.first(schema, [3, 9]), np.zeros([0, 1], np.int64), np.zeros([0, 9], F32)], {}, 1


@form("TensorScatter")
def tensor_scatter_none(dice, schema):
    return [dice.array(F32, [2, 3, 9, 5]), dice.array(F32, [2, 3, 0, 5])], {"axis": 2}, 1


@form("OneHot")
def one_hot_none(dice, schema):
    at = np.array([[0, -1, 7, -8]], F32)[:dice.int(0, 1)]
    return [at, fixed(7), dice.array(F32, [2])], {}, 1


@form("TopK")
def topk_corners(dice, schema):
    x = dice.array(F32, [3, wide(dice)])
    if schema.since_version < 10:
        return [x], {"k": 3}, 2
    largest = {"largest": dice.int(0, 1)} if "largest" in schema.attributes else {}
    return [x, fixed([dice.pick([0, 1, 3, x.shape[1]])])], largest, 2


@form("TopK")
def topk_empty(dice, schema):
    x = dice.array(F32, [0, 9])
    if schema.since_version < 10:
        return [x], {"k": 3}, 2
    return [x, fixed([3])], {}, 2


@form("Compress")
def compress_none(dice, schema):
    return [dice.array(F32, [3, 9]), fixed([False, False], np.bool_)], {"axis": 1}, 1


@form("ReverseSequence")
def reverse_empty(dice, schema):
    batch = dice.pick([0, 3])
    return [dice.array(F32, [5, batch, 9]), np.full([batch], 3, np.int64)], {}, 1


@form("Trilu", "EyeLike", "Det")
def square(dice, schema):
    return [dice.first(schema, [0, 0] if schema.name != "Det" else [0, 3, 3])], {}, 1


# --- pointwise ---------------------------------------------------------------------------------------
@form("Sqrt", "Log", "Acosh", "Acos", "Asin", "Atanh", "Exp", "Tanh", "Sin", "Cos", "Tan", "Sinh", "Cosh",
      "Softplus", "Mish", "Erf", "Reciprocal")
def domain_ends(dice, schema):
    """What lies outside of the function's domain, and where it overflows."""
    return [dice.array(F32, [3, wide(dice)], *dice.pick([(-2, 2), (-1, 1), (-200, 200)]))], {}, 1


@form("Div")
def divide_by_zero(dice, schema):
    dims = [3, wide(dice)]
    return [dice.array(F32, dims), np.asarray(dice.array(F32, dims) // 2)], {}, 1


@form("Div", "Mod")
def integer_by_anything(dice, schema):
    kind = dice.pick([np.int32, np.int64] + [np.int8, np.uint8] * (schema.since_version >= 14))
    dims = [3, wide(dice)]
    divisor = dice.array(kind, dims, 1, 5)
    if schema.name == "Mod":
        return [dice.array(kind, dims, -9, 9), divisor], {"fmod": dice.int(0, 1)}, 1
    return [dice.array(kind, dims, -9, 9), divisor], {}, 1


@form("Mod")
def float_mod(dice, schema):
    dims = [3, wide(dice)]
    return [dice.array(F32, dims, -9, 9), dice.array(F32, dims, -3, 3)], {"fmod": 1}, 1


@form("Pow")
def power_corners(dice, schema):
    dims = [3, wide(dice)]
    base, exponent = dice.array(F32, dims), dice.array(F32, dims)
    if dice.one_in(2):
        exponent = np.rint(exponent)
    return [base, exponent.astype(F32)], {}, 1


@form("Pow")
def power_constant(dice, schema):
    exponent = dice.pick([0.0, 0.5, 1.0, 2.0, 3.0, -1.0, -0.5, np.nan, np.inf, -np.inf])
    return [dice.array(F32, [3, wide(dice)]), fixed(exponent, F32)], {}, 1


@form("Clip")
def clip_corners(dice, schema):
    x = dice.array(F32, [3, wide(dice)])
    low, high = dice.pick([(0.0, 6.0), (-np.inf, np.inf), (-1.0, np.inf), (1.0, -1.0), (0.0, 0.0)])
    if schema.since_version < 11:
        return [x], {"min": low, "max": high}, 1
    if dice.one_in(2):
        return [x, fixed(low, F32), fixed(high, F32)], {}, 1
    return [x, np.asarray(low, F32), np.asarray(high, F32)], {}, 1


@form("Clip")
def clip_integers(dice, schema):
    if schema.since_version < 12:
        return clip_corners(dice, schema)
    kind = dice.pick([np.int32, np.int64, np.int8, np.uint8])
    return [dice.array(kind, [3, wide(dice)], 0, 9), fixed(1, kind), fixed(7, kind)], {}, 1


@form("IsInf", "IsNaN")
def classes(dice, schema):
    x = dice.array(F32, [dice.int(0, 3), wide(dice)])
    return [x], {"detect_negative": 0} if schema.name == "IsInf" else {}, 1


@form("BitShift")
def shift_ends(dice, schema):
    x = dice.array(dice.pick([np.uint8, np.uint32, np.uint64]), [3, wide(dice)], 0, 100)
    by = dice.rng.integers(0, 8, x.shape).astype(x.dtype)
    return [x, by], {"direction": dice.pick(["LEFT", "RIGHT"])}, 1


# --- reductions --------------------------------------------------------------------------------------
@form("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
      "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce_nothing(dice, schema):
    """The identity of each."""
    dims = dice.pick([[3, 0], [0, 9], [3, 0, 9]])
    kind = F32
    if dice.one_in(3) and "tensor(int32)" in schema.type_constraints[0].allowed_type_strs and \
            schema.name in ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"):
        kind = np.int32
    x, attributes = dice.array(kind, dims), {"keepdims": dice.int(0, 1)}
    axis = dice.int(0, len(dims) - 1)
    if "noop_with_empty_axes" in schema.attributes:
        return [x, fixed([axis])], attributes, 1
    return [x], attributes | {"axes": [axis]}, 1


@form("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
      "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")
def reduce_rows(dice, schema):
    x = dice.array(F32, [4, wide(dice), dice.pick([1, 5, 17])])
    axis = dice.pick([1, 2])
    if "noop_with_empty_axes" in schema.attributes:
        return [x, fixed([axis])], {}, 1
    return [x], {"axes": [axis]}, 1


@form("ArgMax", "ArgMin")
def arg_corners(dice, schema):
    x = dice.array(F32, [dice.pick([0, 4]), wide(dice), 3])
    last = {"select_last_index": dice.int(0, 1)} if "select_last_index" in schema.attributes else {}
    return [x], {"axis": dice.pick([1, 2])} | last, 1


@form("Softmax", "LogSoftmax", "Hardmax")
def masked_rows(dice, schema):
    x = dice.array(F32, [dice.pick([0, 4, 4]), 3, wide(dice)], -6, 6)
    return [x], {"axis": 2}, 1


@form("CumSum", "CumProd")
def cumulative_rows(dice, schema):
    x = dice.array(F32, [3, wide(dice)], 0.5, 1.5)
    return [x, fixed(1, np.int32)], {}, 1


# --- norms -------------------------------------------------------------------------------------------
@form("LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
      "com.microsoft::LayerNormalization", "com.microsoft::SimplifiedLayerNormalization")
def layer_norm_batch(dice, schema):
    x = dice.array(F32, [dice.pick([0, 4, 4]), wide(dice)])
    return [x, dice.array(F32, [x.shape[1]], 0.5, 2)], {"axis": -1}, [F32]


@form("InstanceNormalization")
def instance_batch(dice, schema):
    return [dice.array(F32, [dice.pick([0, 2]), 3, 5, 7]), dice.array(F32, [3]), dice.array(F32, [3])], {}, 1


@form("GroupNormalization")
def group_batch(dice, schema):
    size = 2 if schema.since_version < 21 else 4
    return [dice.array(F32, [dice.pick([0, 2]), 4, 17]), dice.array(F32, [size]),
            dice.array(F32, [size])], {"num_groups": 2}, 1


@form("BatchNormalization")
def batch_norm_corners(dice, schema):
    c = dice.pick([3, 17])
    x = dice.array(F32, [dice.pick([0, 2]), c, 5, 7])
    known = dice.one_in(2)
    rest = [dice.array(F32, [c]) for _ in range(4)]
    rest[3] = np.asarray(np.abs(rest[3]))
    return [x, *(fixed(r, F32) if known else r for r in rest)], {}, 1


@form("LRN")
def lrn_batch(dice, schema):
    return [dice.array(F32, [dice.pick([0, 1]), 5, 3, wide(dice)])], {"size": 3}, 1


@form("LpNormalization")
def lp_rows(dice, schema):
    return [dice.array(F32, [dice.pick([0, 4, 4]), wide(dice)])], {"axis": 1, "p": dice.int(1, 2)}, 1


@form("MeanVarianceNormalization")
def mean_variance_rows(dice, schema):
    return [dice.array(F32, [dice.pick([0, 2]), 3, 4, 5])], {"axes": [2, 3]}, 1


@form("com.microsoft::SkipLayerNormalization", "com.microsoft::SkipSimplifiedLayerNormalization")
def skip_norm(dice, schema):
    x, c = [2, dice.pick([0, 3]), 17], 17
    return [dice.array(F32, x), dice.array(F32, x), dice.array(F32, [c], 0.5, 2)], {}, [F32]


@form("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss_corners(dice, schema):
    n, classes = dice.pick([0, 4, 4]), wide(dice)
    x = dice.array(F32, [n, classes], -5, 5)
    target = dice.rng.integers(0, classes, [n]).astype(np.int64)
    attributes = {"reduction": dice.pick(["none", "sum", "mean"])}
    if dice.one_in(3):  # every element ignored: the mean of nothing
        target[:] = 1
        attributes["ignore_index"] = 1
    return [x, target], attributes, 1
