"""Generators of random_draws.py: quantisation, and products and convolutions of quantised tensors."""
import numpy as np

from random_draws import TYPES, allowed, fixed, generator
from random_generators import has, window

BYTES = [np.uint8, np.int8]



def codes(dice, dtype, dims):
    """Values all over an integer type's range; small floats as they are drawn."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low, high = max(np.iinfo(dtype).min, -1000), min(np.iinfo(dtype).max, 1000)
        return dice.rng.integers(low, high + 1, dims).astype(dtype)
    if "int" in dtype.name:
        high = 1 << (int(dtype.name[-1]) - dtype.name.startswith("int"))
        low = 0 if dtype.name.startswith("uint") else -high
        return np.asarray(dice.rng.integers(low, high, dims)).astype(dtype)
    return dice.array(dtype, dims, -3, 3)


def zero_point(dice, dtype, dims):
    """Small float and int32 zero points are 0 by the specification."""
    dtype = np.dtype(dtype)
    if dtype == np.int32 or "float" in dtype.name:
        return np.zeros(dims, dtype)
    return codes(dice, dtype, dims)


def scales(dice, dtype, dims):
    if np.dtype(dtype).name == "float8_e8m0fnu":
        return (2.0 ** dice.rng.integers(-4, 2, dims)).astype(dtype)
    return np.asarray(dice.rng.uniform(0.02, 0.6, dims)).astype(dtype)


def granularity(dice, schema, dims):
    """Attributes and the shape of scale and zero point: of the tensor, an axis, blocks."""
    if not dims or not has(schema, "axis") or dice.one_in(3):
        return {}, []
    axis = dice.int(0, len(dims) - 1)
    named = {"axis": axis - len(dims) if dice.one_in(3) else axis}
    if has(schema, "block_size") and dice.one_in(2):
        block = dice.pick([b for b in range(1, dims[axis] + 1)])
        shape = list(dims)
        shape[axis] = -(-dims[axis] // block)
        return named | {"block_size": block}, shape
    return named, [dims[axis]]


def scale_type(dice, schema, variable, like):
    names = allowed(schema, variable, TYPES)
    if variable == "T1":  # that of x: an int32 x has an int32 scale, which nobody means
        return like
    names = [n for n in names if n != "int32"]
    return TYPES[dice.pick(names)]


@generator("QuantizeLinear")
def quantize(dice, schema):
    dims = dice.shape(0, 4, least=1)
    x_types = [n for n in allowed(schema, "T1") if n != "int32" or schema.since_version != 19]
    x_type = TYPES[dice.pick(x_types + ["float"] * 2)]
    scale_variable = schema.inputs[1].type_str
    if x_type == np.int32 and scale_variable == "T1":
        x_type = np.float32
    dice.special = False
    x = dice.array(x_type, dims, -20, 20)
    attributes, shape = granularity(dice, schema, dims)
    inputs = [x, scales(dice, scale_type(dice, schema, scale_variable, x_type), shape)]
    to = TYPES[dice.pick(allowed(schema, schema.inputs[2].type_str, TYPES))]
    if not dice.one_in(4):
        inputs.append(zero_point(dice, to, shape))
    elif has(schema, "output_dtype") and dice.one_in(2):
        from onnx import helper
        attributes["output_dtype"] = helper.np_dtype_to_tensor_dtype(np.dtype(to))
    if has(schema, "saturate") and dice.one_in(3):
        attributes["saturate"] = dice.int(0, 1)
    return inputs, attributes, 1


@generator("DequantizeLinear")
def dequantize(dice, schema):
    dims = dice.shape(0, 4, least=1)
    dice.special = False
    x = codes(dice, TYPES[dice.pick(allowed(schema, schema.inputs[0].type_str, TYPES))], dims)
    attributes, shape = granularity(dice, schema, dims)
    scale = scales(dice, scale_type(dice, schema, schema.inputs[1].type_str, np.float32), shape)
    inputs = [x, scale]
    if dice.one_in(2):
        inputs.append(zero_point(dice, x.dtype, shape))
    if has(schema, "output_dtype") and (dice.one_in(3) or scale.dtype.name == "float8_e8m0fnu"):
        attributes["output_dtype"] = dice.pick([1, 10, 16])
    return inputs, attributes, 1


@generator("DynamicQuantizeLinear")
def dynamic_quantize(dice, schema):
    dice.special = False
    low = dice.pick([-9.0, 0.5, 0.0])
    x = dice.array(np.float32, dice.shape(0, 4, least=1), low, dice.pick([9.0, 20.0]))
    return [-x if dice.one_in(4) else x], {}, 3


def row_or_one(dice, rows):
    return [rows] if dice.one_in(3) else []


@generator("MatMulInteger")
def matmul_integer(dice, schema):
    m, k, n = (dice.pick([1, 2, 5, 16, 17, 33]) for _ in range(3))
    batch = dice.pick([[], [], [2], [3, 2]])
    a, b = codes(dice, dice.pick(BYTES), [*batch, m, k]), codes(dice, dice.pick(BYTES), [k, n])
    inputs = [a, b]
    if dice.one_in(2):  # one for all rows of a (or, of a matrix, one a row), one a column of b
        inputs.append(codes(dice, a.dtype, [m] if not batch and dice.one_in(4) else []))
        if dice.one_in(2):
            inputs.append(codes(dice, b.dtype, row_or_one(dice, n)))
    return inputs, {}, 1


@generator("QLinearMatMul")
def qlinear_matmul(dice, schema):
    m, k, n = (dice.pick([1, 2, 5, 16, 17, 33]) for _ in range(3))
    batch = dice.pick([[], [], [2], [3, 2]])
    kinds = allowed(schema, "T1", TYPES)
    scale = TYPES[dice.pick(allowed(schema, schema.inputs[1].type_str))]
    dice.special = False
    a = codes(dice, TYPES[dice.pick(kinds)], [*batch, m, k])
    b = codes(dice, TYPES[dice.pick(kinds)], [k, n])
    if (a.dtype.kind in "iu") != (b.dtype.kind in "iu"):
        b = codes(dice, a.dtype, b.shape)
    to = a.dtype if a.dtype.kind not in "iu" else dice.pick(BYTES)
    columns = row_or_one(dice, n)
    big = np.asarray(0.5 * k ** 0.5, scale)
    return [a, scales(dice, scale, []), zero_point(dice, a.dtype, []), b,
            scales(dice, scale, columns), zero_point(dice, b.dtype, columns), big,
            zero_point(dice, to, [])], {}, 1


def conv_parts(dice, codes_of):
    rank, group = dice.int(1, 3), dice.pick([1, 1, 2, 3])
    c, k = dice.int(1, 5), group * dice.int(1, 6)
    spatial, kernel = dice.ints(rank, 5, 9), dice.ints(rank, 1, 3)
    attributes = {"group": group} | window(dice, spatial, kernel)
    if dice.one_in(4):
        attributes["dilations"] = dice.ints(rank, 1, 2)
    x = codes_of(dice.pick(BYTES), [dice.int(1, 2), group * c, *spatial])
    return x, codes_of(dice.pick(BYTES), [k, c, *kernel]), k, attributes


@generator("ConvInteger")
def conv_integer(dice, schema):
    x, w, k, attributes = conv_parts(dice, lambda t, dims: codes(dice, t, dims))
    inputs = [x, w]
    if dice.one_in(2):
        inputs.append(codes(dice, x.dtype, []))
        if dice.one_in(2):
            inputs.append(codes(dice, w.dtype, row_or_one(dice, k)))
    return inputs, attributes, 1


@generator("QLinearConv")
def qlinear_conv(dice, schema):
    x, w, k, attributes = conv_parts(dice, lambda t, dims: codes(dice, t, dims))
    channels = row_or_one(dice, k)
    y_scale = np.asarray(dice.pick([1.0, 4.0, 30.0]), np.float32)
    inputs = [x, scales(dice, np.float32, []), zero_point(dice, x.dtype, []), w,
              scales(dice, np.float32, channels), zero_point(dice, w.dtype, channels), y_scale,
              zero_point(dice, dice.pick([x.dtype, *BYTES]), [])]
    if dice.one_in(2):
        inputs.append(dice.array(np.int32, [k], -1000, 1000))
    if dice.one_in(2):
        inputs[1:] = [fixed(v, v.dtype) for v in inputs[1:]]
    return inputs, attributes, 1


# --- com.microsoft's -----------------------------------------------------------------------------
def element(dice, dtype):
    return [scales(dice, np.float32, []), zero_point(dice, dtype, [])]


@generator("com.microsoft::QLinearAdd", "com.microsoft::QLinearMul")
def qlinear_binary(dice, schema):
    dtype, dims = dice.pick(BYTES), dice.shape()
    pair = [codes(dice, dtype, dims), codes(dice, dtype, dice.broadcast(dims))]
    y_scale = np.asarray(dice.pick([0.5, 8.0]), np.float32)
    return [pair[0], *element(dice, dtype), pair[1], *element(dice, dtype), y_scale,
            zero_point(dice, dtype, [])], {}, 1


@generator("com.microsoft::QLinearLeakyRelu", "com.microsoft::QLinearSigmoid")
def qlinear_unary(dice, schema):
    dtype = dice.pick(BYTES)
    attributes = {"alpha": 0.1} if schema.name == "QLinearLeakyRelu" else {}
    pins = [fixed(v, v.dtype) for v in element(dice, dtype) + element(dice, dtype)]
    return [codes(dice, dtype, dice.shape()), *pins], attributes, 1


@generator("com.microsoft::QLinearConcat")
def qlinear_concat(dice, schema):
    dtype, dims = dice.pick(BYTES), dice.shape(1, 4)
    axis = dice.int(0, len(dims) - 1)
    inputs = [fixed(v, v.dtype) for v in element(dice, dtype)]
    for _ in range(dice.int(1, 4)):
        dims[axis] = dice.int(0, 5)
        inputs += [codes(dice, dtype, list(dims)),
                   *(fixed(v, v.dtype) for v in element(dice, dtype))]
    return inputs, {"axis": axis}, 1


@generator("com.microsoft::QLinearAveragePool")
def qlinear_pool(dice, schema):
    rank = dice.int(1, 3)
    spatial, kernel = dice.ints(rank, 5, 9), dice.ints(rank, 1, 3)
    attributes = {"kernel_shape": kernel, "count_include_pad": dice.int(0, 1)}
    attributes |= window(dice, spatial, kernel)
    if dice.one_in(3):
        attributes["ceil_mode"] = 1
    dtype = dice.pick(BYTES)
    return [codes(dice, dtype, [dice.int(1, 2), dice.int(1, 5), *spatial]), *element(dice, dtype),
            *element(dice, dtype)], attributes, 1


@generator("com.microsoft::QLinearGlobalAveragePool")
def qlinear_global_pool(dice, schema):
    dims = [dice.int(1, 2), dice.int(1, 17), *dice.pick([[7], [5, 3], [2, 3, 4]])]
    dtype = dice.pick(BYTES)
    return [codes(dice, dtype, dims), *element(dice, dtype), *element(dice, dtype)], {}, 1


@generator("com.microsoft::QLinearSoftmax")
def qlinear_softmax(dice, schema):
    dtype, dims = dice.pick(BYTES), dice.shape(1, 4, least=1)
    y = [np.asarray(1 / 256, np.float32), np.asarray(0 if dtype == np.uint8 else -128, dtype)]
    pins = [fixed(v, v.dtype) for v in [*element(dice, dtype), *y]]
    return ([codes(dice, dtype, dims), *pins],
            {"opset": dice.pick([9, 12, 13, 17]), "axis": dice.axis(len(dims))}, 1)


@generator("com.microsoft::QuantizeLinear", "com.microsoft::DequantizeLinear")
def microsoft_quantize(dice, schema):
    dims = dice.shape(0, 4, least=1)
    kind = TYPES[dice.pick(["int8", "uint8", "int16", "uint16"])]
    by_axis = bool(dims) and dice.one_in(2)
    axis = dice.int(0, len(dims) - 1) if by_axis else 0
    shape = [dims[axis]] if by_axis else []
    dice.special = False
    x = (codes(dice, kind, dims) if schema.name == "DequantizeLinear" else
         dice.array(np.float32, dims, -20, 20))
    attributes = {"axis": axis} if by_axis else {}
    return [x, scales(dice, np.float32, shape), zero_point(dice, kind, shape)], attributes, 1


@generator("com.microsoft::MatMulNBits")
def matmul_nbits(dice, schema):
    bits, block = dice.pick([4, 4, 8]), dice.pick([16, 32, 64])
    k, n = dice.pick([16, 48, 70, 96]), dice.pick([1, 5, 16, 17])
    blocks = -(-k // block)
    inputs = [dice.array(np.float32, [*dice.pick([[], [2]]), dice.int(1, 5), k]),
              codes(dice, np.uint8, [n, blocks, block * bits // 8]),
              dice.array(np.float32, [n * blocks], 0.01, 0.05)]
    dice.special = False
    inputs[0] = dice.array(np.float32, inputs[0].shape)
    inputs[2] = dice.array(np.float32, inputs[2].shape, 0.01, 0.05)
    if dice.one_in(2):
        inputs.append(codes(dice, np.uint8, [n * -(-blocks * bits // 8)]))
    elif dice.one_in(2):
        inputs += [None, None, dice.array(np.float32, [n])]
    inputs[1:] = [v if v is None else fixed(v, v.dtype) for v in inputs[1:]]
    return inputs, {"K": k, "N": n, "bits": bits, "block_size": block}, 1


