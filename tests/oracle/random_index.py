"""Generators of random_draws.py: what picks, places, crops or drops elements."""
import numpy as np
from random_draws import fixed, generator


@generator("TensorScatter")
def tensor_scatter(dice, schema):
    dims = [dice.int(1, 3), dice.int(1, 4), dice.pick([2, 5, 17]), dice.int(1, 5)]
    axis = dice.pick([1, 2, 3, -1, -2])
    short = list(dims)
    short[axis] = dice.int(1, dims[axis])
    mode = dice.pick(["linear", "circular"])
    last = dims[axis] - short[axis] if mode == "linear" else 2 * dims[axis]
    inputs = [dice.first(schema, dims), dice.first(schema, short)]
    if dice.one_in(4):
        return inputs, {"axis": axis, "mode": mode}, 1
    write = np.asarray(dice.ints(dims[0], 0, last), np.int64)
    return [*inputs, write], {"axis": axis, "mode": mode}, 1


@generator("CenterCropPad")
def center_crop_pad(dice, schema):
    dims = dice.shape(low=1, least=1)
    axes = sorted(dice.rng.permutation(len(dims))[:dice.int(1, len(dims))].tolist())
    shape = [dice.int(1, 20) for _ in axes]
    return [dice.first(schema, dims), fixed(shape)], {"axes": axes}, 1


@generator("Compress")
def compress(dice, schema):
    dims = dice.shape(low=1, least=1)
    axis = None if dice.one_in(3) else dice.axis(len(dims))
    extent = int(np.prod(dims)) if axis is None else dims[axis]
    condition = fixed(dice.rng.integers(0, 2, dice.int(1, extent)), np.bool_)
    return [dice.first(schema, dims), condition], {} if axis is None else {"axis": axis}, 1
