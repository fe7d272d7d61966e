"""Generators of random_draws.py: com.microsoft's activations, norms and products, ai.onnx.ml's."""
import numpy as np

from random_draws import generator


@generator("com.microsoft::Gelu", "com.microsoft::QuickGelu")
def gelu(dice, schema):
    attributes = {"alpha": 1.3} if schema.name == "QuickGelu" and dice.one_in(2) else {}
    return [dice.array(np.float32, dice.shape(), -5, 5)], attributes, 1


@generator("com.microsoft::BiasGelu", "com.microsoft::FastGelu")
def bias_gelu(dice, schema):
    dims = dice.shape(1, 4)
    x = dice.array(np.float32, dims, -5, 5)
    if schema.name == "FastGelu" and dice.one_in(2):
        return [x], {}, 1
    return [x, dice.array(np.float32, dims[-1:])], {}, 1


@generator("com.microsoft::BiasSplitGelu")
def bias_split_gelu(dice, schema):
    dims = [dice.int(1, 3), dice.int(1, 9), 2 * dice.pick([1, 3, 8, 17])]
    return [dice.array(np.float32, dims), dice.array(np.float32, dims[-1:])], {}, 1


@generator("com.microsoft::FusedMatMul")
def fused_matmul(dice, schema):
    m, k, n = (dice.pick([1, 2, 5, 16, 17]) for _ in range(3))
    batch = dice.pick([[], [2], [3, 2]])
    ta, tb = dice.int(0, 1), dice.int(0, 1)
    a, b = [*batch, *([k, m] if ta else [m, k])], [*batch, *([n, k] if tb else [k, n])]
    return ([dice.array(np.float32, a), dice.array(np.float32, b)],
            {"transA": ta, "transB": tb, "alpha": dice.pick([1.0, 0.5])}, 1)


@generator("SimplifiedLayerNormalization", "com.microsoft::LayerNormalization",
           "com.microsoft::SimplifiedLayerNormalization")
def norm(dice, schema):
    x = dice.array(np.float32, dice.shape(1, 4, least=2))
    axis = dice.int(0, x.ndim - 1)
    inputs = [x, dice.array(np.float32, x.shape[axis:])]
    if schema.name == "LayerNormalization" and dice.one_in(2):
        inputs.append(dice.array(np.float32, x.shape[axis:]))
    return inputs, {"axis": axis, "epsilon": 1e-3}, 1


@generator("com.microsoft::SkipLayerNormalization",
           "com.microsoft::SkipSimplifiedLayerNormalization")
def skip_norm(dice, schema):
    dims = [dice.int(1, 2), dice.pick([1, 3, 8]), dice.pick([2, 7, 16, 17])]
    inputs = [dice.array(np.float32, dims) for _ in range(2)]
    inputs.append(dice.array(np.float32, dims[-1:]))
    if schema.name == "SkipLayerNormalization":
        inputs.append(dice.array(np.float32, dims[-1:]) if dice.one_in(2) else None)
    if dice.one_in(2):
        inputs.append(dice.array(np.float32, dims[-1:]))
    return inputs, {"epsilon": 1e-3}, 1


@generator("ai.onnx.ml::ArrayFeatureExtractor")
def array_feature_extractor(dice, schema):
    x = dice.first(schema, dice.shape(1, 3, least=1))
    return [x, dice.rng.integers(0, x.shape[-1], [1, dice.int(1, 5)])], {}, 1


@generator("ai.onnx.ml::Binarizer")
def binarizer(dice, schema):
    return [dice.first(schema, dice.shape())], {"threshold": dice.pick([0.0, 0.5, 1.0])}, 1
