"""Further forms of operators for corner_draws.py: products, attention, quantised operators and those of
other domains."""
import numpy as np

from corner_draws import form
from corner_forms import F32, wide
from random_draws import fixed


# --- products ----------------------------------------------------------------------------------------
@form("MatMul")
def matmul_empty(dice, schema):
    m, k, n = dice.pick([(0, 3, 5), (4, 0, 17), (4, 3, 0)])
    batch = dice.pick([[], [2]])
    return [dice.array(F32, [*batch, m, k]), dice.array(F32, [*batch, k, n])], {}, 1


@form("Gemm")
def gemm_empty(dice, schema):
    m, k, n = dice.pick([(0, 3, 5), (4, 0, 17), (4, 3, 0)])
    return [dice.array(F32, [m, k]), dice.array(F32, [k, n]), dice.array(F32, [n])], {"beta": 0.5}, 1


@form("Gemm")
def gemm_beta_zero(dice, schema):
    m, k, n = 5, 4, wide(dice)
    return [dice.array(F32, [m, k]), dice.array(F32, [k, n]), dice.array(F32, [n])], \
        {"beta": dice.pick([0.0, 1.0]), "alpha": dice.pick([0.0, 1.0])}, 1


@form("Conv")
def conv_valid(dice, schema):
    """No padding, so weights too may hold anything."""
    c, k = dice.pick([(3, 5), (1, 17)])
    x, w = dice.array(F32, [dice.pick([0, 1, 2]), c, 6, 9]), dice.array(F32, [k, c, 3, 2])
    b = dice.array(F32, [k])
    return ([x, w, b] if dice.one_in(2) else [x, fixed(w, F32), fixed(b, F32)]), {}, 1


@form("ConvTranspose")
def conv_transpose_batch(dice, schema):
    x = dice.array(F32, [dice.pick([0, 1]), 3, 4, 7])
    return [x, fixed(np.ones([3, 5, 2, 2]), F32)], {"strides": [2, 2]}, 1


@form("DeformConv")
def deform_corners(dice, schema):
    """Offsets of any value: those of NaN and infinity lie outside."""
    x, w = dice.array(F32, [1, 2, 5, 9]), np.ones([3, 2, 2, 2], F32)
    return [x, w, dice.array(F32, [1, 8, 4, 8])], {"kernel_shape": [2, 2]}, 1


@form("Einsum")
def einsum_empty(dice, schema):
    return [dice.array(F32, [4, dice.pick([0, 3])]), dice.array(F32, [0, 5])[:0]
            if dice.one_in(9) else dice.array(F32, [5])], {"equation": "ij,k->ik"}, 1


@form("MaxPool", "AveragePool", "LpPool", "com.microsoft::QLinearAveragePool")
def pool_batch(dice, schema):
    x = dice.array(F32, [dice.pick([0, 1, 2]), 3, 7, wide(dice)])
    attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    if schema.name.startswith("com"):
        x = dice.array(np.uint8, x.shape, 0, 255)
        scales = [np.asarray(0.5, F32), np.asarray(3, np.uint8)]
        return [x, *scales, *scales], attributes, [np.uint8]
    return [x], attributes, 1


@form("MaxPool")
def pool_with_indices(dice, schema):
    x = dice.array(F32, [1, 3, 7, wide(dice)])
    return [x], {"kernel_shape": [2, 2], "strides": [1, 2]}, 2 if schema.since_version >= 8 else 1


@form("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_batch(dice, schema):
    return [dice.array(F32, [dice.pick([0, 2]), 3, 5, wide(dice)])], {}, 1


@form("MaxUnpool")
def unpool_batch(dice, schema):
    n = dice.pick([0, 1])
    at = np.arange(n * 6).reshape(n, 1, 2, 3).astype(np.int64) * 3
    return [dice.array(F32, at.shape), at], {"kernel_shape": [2, 2], "strides": [2, 2]}, 1


@form("GridSample")
def grid_none(dice, schema):
    n = dice.pick([0, 1])
    return [dice.array(F32, [n, 2, 4, 5]), dice.array(F32, [n, 0 if n else 3, 7, 2])], {}, 1


@form("RoiAlign", "MaxRoiPool")
def no_rois(dice, schema):
    x = dice.array(F32, [1, 2, 9, 7])
    if schema.name == "MaxRoiPool":
        return [x, dice.array(F32, [0, 5])], {"pooled_shape": [2, 3]}, 1
    return [x, dice.array(F32, [0, 4]), np.zeros([0], np.int64)], {"output_height": 2, "output_width": 3}, 1


@form("AffineGrid")
def affine_none(dice, schema):
    return [dice.array(F32, [0, 2, 3]), fixed([0, 3, 4, 5])], {}, 1


@form("Col2Im")
def col2im_none(dice, schema):
    return [dice.array(F32, [0, 8, 4]), fixed([3, 3]), fixed([2, 2])], {}, 1


# --- attention ---------------------------------------------------------------------------------------
def heads(dice, n, h, length, size):
    return dice.array(F32, [n, h, length, size])


@form("Attention")
def attention_masked(dice, schema):
    """A boolean mask with rows that hide everything; keys that a NaN may stand in."""
    q, k = dice.pick([1, 5, 8]), dice.pick([7, 8, 17])
    mask = dice.rng.integers(0, 2, [q, k]).astype(np.bool_)
    mask[0] = False
    parts = [heads(dice, 1, 2, q, 8), heads(dice, 1, 2, k, 8), heads(dice, 1, 2, k, 9)]
    return [*parts, mask], {}, 1


@form("Attention")
def attention_bias(dice, schema):
    q, k = dice.pick([1, 5, 8]), dice.pick([7, 8, 17])
    mask = np.where(dice.rng.integers(0, 2, [q, k]), 0, -np.inf).astype(F32)
    mask[-1] = -np.inf
    parts = [heads(dice, 2, 2, q, 8), heads(dice, 2, 2, k, 8), heads(dice, 2, 2, k, 8)]
    return [*parts, mask], {"is_causal": dice.int(0, 1)}, 1


@form("Attention")
def attention_empty(dice, schema):
    n, q, k = dice.pick([(0, 4, 5), (1, 0, 5)])
    return [heads(dice, n, 2, q, 8), heads(dice, n, 2, k, 8), heads(dice, n, 2, k, 8)], {}, 1


@form("ai.onnx.preview::FlexAttention")
def flex(dice, schema):
    k = dice.pick([7, 8, 17])
    return [heads(dice, 1, 2, 5, 8), heads(dice, 1, 2, k, 8), heads(dice, 1, 2, k, 8)], {}, 1


@form("LinearAttention")
def linear_attention(dice, schema):
    s = dice.pick([0, 1, 7])
    return [dice.array(F32, [1, s, 16]) for _ in range(3)], \
        {"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "linear"}, 2


@form("CausalConvWithState")
def causal_conv(dice, schema):
    return [dice.array(F32, [dice.pick([0, 1]), 5, wide(dice)]), dice.array(F32, [5, 1, 3])], {}, 2


@form("RotaryEmbedding", "com.microsoft::RotaryEmbedding")
def rotary(dice, schema):
    n, s = dice.pick([(1, 5), (0, 5)])
    cos, sin = dice.array(F32, [9, 4], -1, 1), dice.array(F32, [9, 4], -1, 1)
    places = dice.rng.integers(0, 9, [n, s]).astype(np.int64)
    if schema.name.startswith("com"):
        return [dice.array(F32, [n, 2, s, 8]), places, cos, sin], {}, [F32]
    return [dice.array(F32, [n, 2, s, 8]), cos, sin, places], {}, 1


@form("com.microsoft::Attention")
def merged_attention(dice, schema):
    x, w, b = dice.array(F32, [1, 5, 12]), dice.array(F32, [12, 48]), dice.array(F32, [48])
    return [x, w, b], {"num_heads": 2, "unidirectional": dice.int(0, 1)}, [F32]


@form("com.microsoft::MultiHeadAttention")
def multi_head(dice, schema):
    k = dice.pick([7, 17])
    flags = dice.rng.integers(0, 2, [1, k]).astype(np.int32) * dice.int(0, 1)
    return [dice.array(F32, [1, 5, 16]), dice.array(F32, [1, k, 16]), dice.array(F32, [1, k, 16]),
            None, flags], {"num_heads": 2}, [F32]


@form("com.microsoft::GroupQueryAttention")
def group_query(dice, schema):
    s = 5
    q, k, v = (dice.array(F32, [1, s, n * 8]) for n in (4, 2, 2))
    return [q, k, v, None, None, np.array([s - 1], np.int32), fixed([s], np.int32)], \
        {"num_heads": 4, "kv_num_heads": 2}, [F32, F32, F32]


# --- com.microsoft's and ml's pointwise ------------------------------------------------------------------
@form("com.microsoft::Gelu", "com.microsoft::QuickGelu", "com.microsoft::FastGelu")
def contrib_gelu(dice, schema):
    return [dice.array(F32, [dice.pick([0, 3, 3]), wide(dice)], -9, 9)], {}, [F32]


@form("com.microsoft::BiasGelu")
def bias_gelu(dice, schema):
    c = wide(dice)
    return [dice.array(F32, [3, c]), dice.array(F32, [c])], {}, [F32]


@form("com.microsoft::BiasSplitGelu")
def bias_split_gelu(dice, schema):
    return [dice.array(F32, [1, 3, 34]), dice.array(F32, [34])], {}, [F32]


@form("com.microsoft::FusedMatMul")
def fused_matmul(dice, schema):
    k = dice.pick([0, 4, 4])
    return [dice.array(F32, [5, k]), dice.array(F32, [17, k])], {"transB": 1, "alpha": 0.5}, [F32]


@form("ai.onnx.ml::Binarizer")
def binarizer(dice, schema):
    return [dice.array(F32, [dice.pick([0, 3, 3]), wide(dice)])], {"threshold": 0.0}, [F32]


@form("ai.onnx.ml::ArrayFeatureExtractor")
def features(dice, schema):
    return [dice.array(F32, [3, 9]), fixed([[0, 4, 8]])], {}, [F32]


# --- quantised ---------------------------------------------------------------------------------------
def codes(dice, *dims, kind=np.uint8):
    return dice.array(kind, list(dims), 0, 255 if kind == np.uint8 else 100)


SCALE, ZERO = np.asarray(0.25, F32), np.asarray(3, np.uint8)


@form("QuantizeLinear", "com.microsoft::QuantizeLinear")
def quantize_corners(dice, schema):
    """Out of range saturates; what NaN gives is left open by ONNX: zero_point here (0)."""
    x = dice.array(F32, [dice.pick([0, 4, 4]), wide(dice)], -90, 90)
    kind = dice.pick([np.uint8, np.int8])
    return [x, SCALE, np.asarray(3, kind)], {}, [kind]


@form("DequantizeLinear", "com.microsoft::DequantizeLinear")
def dequantize_corners(dice, schema):
    x = codes(dice, dice.pick([0, 4, 4]), wide(dice))
    return [x, dice.array(F32, []), ZERO], {}, [F32]


@form("DynamicQuantizeLinear")
def dynamic_quantize(dice, schema):
    return [dice.array(F32, [3, wide(dice)], -9, 9)], {}, 3


@form("MatMulInteger")
def matmul_integer(dice, schema):
    k = dice.pick([0, 4, 4])
    return [codes(dice, 5, k), codes(dice, k, 17, kind=np.int8), ZERO], {}, 1


@form("ConvInteger")
def conv_integer(dice, schema):
    return [codes(dice, dice.pick([0, 1]), 3, 5, 9), codes(dice, 5, 3, 2, 2), ZERO], {}, 1


@form("QLinearMatMul")
def qlinear_matmul(dice, schema):
    k = dice.pick([0, 4, 4])
    return [codes(dice, 5, k), SCALE, ZERO, codes(dice, k, 17), SCALE, ZERO, SCALE, ZERO], {}, 1


@form("QLinearConv")
def qlinear_conv(dice, schema):
    return [codes(dice, dice.pick([0, 1]), 3, 5, 9), SCALE, ZERO, codes(dice, 5, 3, 2, 2), SCALE, ZERO,
            np.asarray(9.0, F32), ZERO], {}, 1


@form("com.microsoft::QLinearAdd", "com.microsoft::QLinearMul")
def qlinear_pair(dice, schema):
    c = wide(dice)
    return [codes(dice, 3, c), SCALE, ZERO, codes(dice, 3, c), SCALE, ZERO, SCALE, ZERO], {}, [np.uint8]


@form("com.microsoft::QLinearSigmoid", "com.microsoft::QLinearLeakyRelu")
def qlinear_unary(dice, schema):
    return [codes(dice, 3, wide(dice)), SCALE, ZERO, np.asarray(0.0039, F32), ZERO], {}, [np.uint8]


@form("com.microsoft::QLinearConcat")
def qlinear_concat(dice, schema):
    return [SCALE, ZERO, codes(dice, 3, 5), SCALE, ZERO, codes(dice, dice.pick([0, 2]), 5), SCALE, ZERO], \
        {"axis": 0}, [np.uint8]


@form("com.microsoft::QLinearGlobalAveragePool")
def qlinear_global(dice, schema):
    return [codes(dice, dice.pick([0, 2]), 3, 5, 7), SCALE, ZERO, SCALE, ZERO], {}, [np.uint8]


@form("com.microsoft::QLinearSoftmax")
def qlinear_softmax(dice, schema):
    x = codes(dice, dice.pick([0, 3, 3]), wide(dice))
    return [x, fixed(0.25, F32), fixed(3, np.uint8), fixed(1 / 256, F32), fixed(0, np.uint8)], \
        {"opset": dice.pick([9, 13]), "axis": -1}, [np.uint8]


@form("com.microsoft::MatMulNBits")
def matmul_nbits(dice, schema):
    """Every code occurs, also that which stands for 0: 0 times infinity is NaN here too."""
    k, n = dice.pick([16, 24]), 17
    blocks = -(-k // 16)
    bytes_of_b = np.arange(n * blocks * 8, dtype=np.int64).reshape(n, blocks, 8) * 37 % 256
    return [dice.array(F32, [dice.pick([0, 3, 3]), k]), fixed(bytes_of_b, np.uint8),
            fixed(np.linspace(0.1, 2.0, n * blocks), F32)], \
        {"K": k, "N": n, "bits": 4, "block_size": 16}, [F32]
