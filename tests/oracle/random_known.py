"""Generators of random_draws.py: what shapes, constants and types alone decide, and random streams."""
import numpy as np
from onnx import helper, numpy_helper

from random_draws import NUMPY, TYPES, allowed, fixed, generator
from random_generators import has


def number_of(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


@generator("Shape", "Size")
def shape_of(dice, schema):
    x = dice.first(schema, dice.shape())
    attributes = {}
    if has(schema, "start") and dice.one_in(2):
        attributes = {"start": dice.int(-5, 5), "end": dice.int(-5, 5)}
    return [x], attributes, 1


@generator("Constant")
def constant(dice, schema):
    value = dice.array(NUMPY[dice.pick(allowed(schema, "T"))], dice.shape(0, 3))
    if has(schema, "value_int") and dice.one_in(2):
        return [], dice.pick([{"value_int": 3}, {"value_ints": [1, -2]}, {"value_float": 0.5},
                              {"value_floats": [1.5, 2.5, -3.0]}]), 1
    return [], {"value": numpy_helper.from_array(value)}, 1


@generator("ConstantOfShape")
def constant_of_shape(dice, schema):
    kinds = [n for n in allowed(schema, "T2") if n != "bfloat16"]
    value = dice.array(NUMPY[dice.pick(kinds)], [1])
    attributes = {} if dice.one_in(3) else {"value": numpy_helper.from_array(value)}
    return [fixed(dice.shape(0, 3))], attributes, 1


@generator("Range")
def range_of(dice, schema):
    kind = NUMPY[dice.pick(allowed(schema, "T"))]
    step = dice.pick([1, 2, 3, 0.5, 0.3] if np.dtype(kind).kind not in "iu" else [1, 2, 3])
    ends = [dice.int(-9, 9), dice.int(-9, 20)]
    if np.dtype(kind).kind != "u" and dice.one_in(3):
        ends, step = ends[::-1], -step
    if np.dtype(kind).kind == "u":
        ends = [abs(e) for e in ends]
    return [fixed(v, kind) for v in (*ends, step)], {}, 1


@generator("HannWindow", "HammingWindow", "BlackmanWindow")
def window_of(dice, schema):
    attributes = {"periodic": dice.int(0, 1)}
    if dice.one_in(2):
        attributes["output_datatype"] = number_of(NUMPY[dice.pick(["float", "double", "float16"])])
    size = fixed(dice.pick([2, 3, 8, 17, 64]), dice.pick([np.int32, np.int64]))
    return [size], attributes, 1


@generator("MelWeightMatrix")
def mel_weights(dice, schema):
    sizes = [fixed(v) for v in (dice.int(3, 9), dice.pick([16, 33, 64]), 8192)]
    ends = [fixed(v, np.float32) for v in (dice.pick([0.0, 20.0]), dice.pick([2000.0, 4096.0]))]
    return [*sizes, *ends], {} if dice.one_in(2) else {"output_datatype": 11}, 1


@generator("NonZero")
def non_zero(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1), -1, 1)
    x = np.where(dice.rng.uniform(size=x.shape) < 0.5, x, np.zeros_like(x))
    dice.special = False
    return [fixed(np.nan_to_num(x.astype(np.float64)), x.dtype)], {}, 1


@generator("Unique")
def unique(dice, schema):
    dice.special = False
    x = dice.first(schema, dice.shape(1, 3, least=1), -2, 2)
    x = np.floor(x.astype(np.float64)).astype(x.dtype)
    attributes = {"sorted": dice.int(0, 1)}
    if dice.one_in(2):
        attributes["axis"] = dice.axis(x.ndim)
    return [fixed(x, x.dtype)], attributes, dice.pick([1, 4])


@generator("CastLike")
def cast_like(dice, schema):
    dice.special = False
    kinds = [n for n in allowed(schema, "T1", TYPES)]
    source, to = TYPES[dice.pick(kinds)], TYPES[dice.pick(kinds)]
    x = dice.array(source, dice.shape(), 0, 3)
    attributes = {"saturate": dice.int(0, 1)} if has(schema, "saturate") and dice.one_in(3) else {}
    return [x, dice.array(to, [1], 0, 1)], attributes, 1


@generator("BitCast")
def bit_cast(dice, schema):
    kinds = [n for n in allowed(schema, "T1") if n != "bool"]
    source = np.dtype(NUMPY[dice.pick(kinds)])
    same = [n for n in kinds if np.dtype(NUMPY[n]).itemsize == source.itemsize]
    return [dice.array(source, dice.shape())], {"to": number_of(NUMPY[dice.pick(same)])}, 1


@generator("Dropout")
def dropout(dice, schema):
    x = dice.first(schema, dice.shape())
    if schema.since_version < 12:
        return [x], {"ratio": 0.3}, 1
    inputs = [x] + ([fixed(0.3, np.float32)] if dice.one_in(2) else [])
    if len(inputs) > 1 and dice.one_in(2):
        inputs.append(fixed(False, np.bool_))
    return inputs, {"seed": 7} if dice.one_in(3) else {}, dice.int(1, 2)


@generator("Scatter")
def scatter(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1))
    axis, dims = dice.axis(x.ndim), list(x.shape)
    dims[axis] = dice.int(1, x.shape[axis])
    order = np.argsort(dice.rng.uniform(size=x.shape), axis=axis)
    at = np.take(order, range(dims[axis]), axis=axis).astype(np.int64)
    return [x, at, dice.array(x.dtype, dims)], {"axis": axis}, 1


@generator("Upsample")
def upsample(dice, schema):
    x = dice.first(schema, [1, 2, *dice.ints(2, 2, 7)], 0, 9)
    scales = [1.0, 1.0, *(dice.pick([1.0, 1.5, 2.0, 3.0]) for _ in range(2))]
    mode = {"mode": dice.pick(["nearest", "linear"])}
    if schema.since_version < 9:
        return [x], mode | {"scales": scales}, 1
    return [x, fixed(scales, np.float32)], mode, 1


# --- random streams: the same from frit's reference, which no peer has ------------------------------
def seed(dice):
    return {"seed": float(dice.int(0, 99))}


def some_type(dice):
    return {} if dice.one_in(2) else {"dtype": number_of(NUMPY[dice.pick(["float", "double"])])}


@generator("RandomNormal", "RandomUniform")
def stream(dice, schema):
    return [], {"shape": dice.shape(1, 3, least=1)} | seed(dice) | some_type(dice), 1


@generator("RandomNormalLike", "RandomUniformLike")
def stream_like(dice, schema):
    x = dice.array(np.float32, dice.shape(1, 3, least=1))
    return [x], seed(dice) | some_type(dice), 1


@generator("Bernoulli")
def bernoulli(dice, schema):
    dice.without_special()
    return [dice.first(schema, dice.shape(0, 3), 0, 1)], seed(dice), 1


@generator("Multinomial")
def multinomial(dice, schema):
    dice.without_special()
    x = dice.first(schema, [dice.int(1, 3), dice.int(1, 9)], -3, 1)
    attributes = {"sample_size": dice.int(1, 9)} | seed(dice)
    return [x], attributes | ({} if dice.one_in(2) else {"dtype": dice.pick([6, 7])}), 1
