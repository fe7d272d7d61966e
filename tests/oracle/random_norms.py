"""The generators of random_draws.py for losses and further norms and activations."""
import numpy as np

from random_draws import generator


@generator("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(dice, schema):
    classes = dice.int(1, 17)
    outer = [dice.int(1, 3), *dice.pick([[], [5], [3, 2]])]
    x = dice.first(schema, [outer[0], classes, *outer[1:]], -5, 5)
    target = dice.rng.integers(0, classes, outer).astype(dice.pick([np.int32, np.int64]))
    attributes = {"reduction": dice.pick(["none", "sum", "mean"])}
    if dice.one_in(3):
        attributes["ignore_index"] = dice.int(0, classes)
    inputs = [x, target]
    if dice.one_in(2):
        inputs.append(dice.array(x.dtype, [classes], 0.5, 2))
    dice.special = False
    return inputs, attributes, 1


@generator("MeanVarianceNormalization")
def mean_variance(dice, schema):
    x = dice.first(schema, [dice.int(2, 3), dice.int(1, 5), dice.int(2, 5), dice.int(2, 5)])
    return [x], {} if dice.one_in(2) else {"axes": dice.pick([[0], [2, 3], [0, 1, 2, 3]])}, 1


@generator("SwiGLU")
def swiglu(dice, schema):
    x = dice.first(schema, dice.shape(), -5, 5)
    return [x, dice.array(x.dtype, x.shape)], {"alpha": dice.pick([1.0, 0.7])}, 1
