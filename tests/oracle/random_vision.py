"""Generators of random_draws.py: images, signals, determinants, Einsum."""
import numpy as np
from random_draws import fixed, generator

EQUATIONS = ["ij->ji", "ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "i,i", "i,j->ij", "ii->i", "ii",
             "...ij,...jk->...ik", "...i->...", "ab,bc,cd->ad", "aij,ajk,k->ia", "ij,ij->j",
             "bhqd,bhkd->bhqk", "iij->j"]


@generator("Einsum")
def einsum(dice, schema):
    equation = dice.pick(EQUATIONS)
    extents = {letter: dice.pick([1, 2, 3, 5, 8, 17]) for letter in "abcdhijkq"}
    batch = [dice.int(1, 3)]
    dtype = dice.dtype(schema, "Inputs")
    inputs = []
    for term in equation.split("->")[0].split(","):
        dims = [extents[c] for c in term if c.isalpha()]
        inputs.append(dice.array(dtype, (batch if "." in term else []) + dims))
    return inputs, {"equation": equation}, 1


@generator("DFT")
def dft(dice, schema):
    inverse, onesided = dice.int(0, 1), dice.int(0, 1)
    parts = 1 + inverse if onesided else dice.int(1, 2)
    dims = [dice.int(1, 3), dice.pick([2, 3, 8, 17, 72, 100]), dice.int(1, 2), parts]
    dice.without_special()  # whether Inf times a sine of 0 is a NaN is open
    axis = dice.pick([1, -3])
    length = fixed(dice.int(2, 20)) if dice.one_in(3) else None
    if inverse and onesided and length:  # of a longer half spectrum ONNX Runtime reads another part
        length = fixed(2 * dims[1] - dice.int(1, 2))
    attributes = {"inverse": inverse, "onesided": onesided}
    x = dice.first(schema, dims)
    if schema.since_version < 20:
        return [x, length], attributes | {"axis": axis}, 1
    return [x, length, fixed(axis)], attributes, 1


@generator("STFT")
def stft(dice, schema):
    onesided = dice.int(0, 1)
    dice.without_special()
    x = dice.first(schema, [dice.int(1, 2), dice.int(40, 70), 1 if onesided else dice.int(1, 2)])
    length = dice.int(5, 20)
    spectra = [x, fixed(dice.int(1, 9))]
    if dice.one_in(2):
        return [*spectra, dice.array(x.dtype, [length])], {"onesided": onesided}, 1
    return [*spectra, None, fixed(length)], {"onesided": onesided}, 1


@generator("GridSample")
def grid_sample(dice, schema):
    early = schema.since_version < 20
    rank = 2 if early else dice.int(2, 3)
    modes = ["bilinear", "nearest", "bicubic"] if early else ["linear", "nearest", "cubic"]
    attributes = {"mode": dice.pick(modes[:2] if rank == 3 else modes),
                  "padding_mode": dice.pick(["zeros", "border", "reflection"]),
                  "align_corners": dice.int(0, 1)}
    n = dice.int(1, 2)
    dtype = np.float32 if attributes["mode"] != "nearest" else dice.dtype(schema, "X")
    x = dice.array(dtype, [n, dice.int(1, 4), *dice.ints(rank, 2, 6)])
    dice.without_special()
    return [x, dice.array(np.float32, [n, *dice.ints(rank, 1, 5), rank], -1.7, 1.7)], attributes, 1


@generator("AffineGrid")
def affine_grid(dice, schema):
    rank = dice.int(2, 3)
    size = [dice.int(1, 3), dice.int(1, 3), *dice.ints(rank, 2, 6)]
    theta = dice.first(schema, [size[0], rank, rank + 1])
    return [theta, fixed(size)], {"align_corners": dice.int(0, 1)}, 1


@generator("RoiAlign")
def roi_align(dice, schema):
    attributes = {"mode": dice.pick(["avg", "max"]), "output_height": dice.int(1, 4),
                  "output_width": dice.int(1, 4), "sampling_ratio": dice.int(0, 3),
                  "spatial_scale": dice.pick([1.0, 0.5])}
    if schema.since_version >= 16:
        attributes["coordinate_transformation_mode"] = dice.pick(["half_pixel", "output_half_pixel"])
    n, rois = dice.int(1, 2), dice.int(1, 5)
    x = dice.first(schema, [n, dice.int(1, 3), 9, 7])
    dice.without_special()
    corner = dice.array(x.dtype, [rois, 2], 0.1, 5)
    boxes = np.concatenate([corner, corner + dice.array(x.dtype, [rois, 2], 0.3, 9)], 1)
    batches = dice.rng.integers(0, n, rois).astype(np.int64)
    return [x, boxes.astype(x.dtype), batches], attributes, 1


@generator("MaxRoiPool")
def max_roi_pool(dice, schema):
    attributes = {"pooled_shape": dice.ints(2, 1, 4), "spatial_scale": dice.pick([1.0, 0.5])}
    n, rois = dice.int(1, 2), dice.int(1, 5)
    x = dice.first(schema, [n, dice.int(1, 3), 9, 7])
    dice.without_special()
    corner = dice.array(x.dtype, [rois, 2], -2, 6)
    boxes = np.concatenate([dice.rng.integers(0, n, [rois, 1]).astype(x.dtype), corner,
                            corner + dice.array(x.dtype, [rois, 2], -1, 9)], 1)
    return [x, boxes.astype(x.dtype)], attributes, 1


@generator("DeformConv")
def deform_conv(dice, schema):
    group, offset_group = dice.int(1, 2), dice.int(1, 2)
    kernel, pads = dice.ints(2, 1, 3), dice.ints(4, 0, 1)
    strides, dilations = dice.ints(2, 1, 2), dice.ints(2, 1, 2)
    c, k, spatial = 2 * dice.int(1, 2), group * dice.int(1, 3), dice.ints(2, 6, 9)
    out = [(spatial[a] + pads[a] + pads[a + 2] - (kernel[a] - 1) * dilations[a] - 1) // strides[a]
           + 1 for a in (0, 1)]
    taps, n = offset_group * kernel[0] * kernel[1], dice.int(1, 2)
    dice.without_special()
    x = dice.first(schema, [n, c, *spatial])
    inputs = [x, dice.array(x.dtype, [k, c // group, *kernel]),
              dice.array(x.dtype, [n, 2 * taps, *out], -2, 2)]
    if dice.one_in(2):
        inputs += [dice.array(x.dtype, [k]), dice.array(x.dtype, [n, taps, *out], 0, 1)]
    return inputs, {"group": group, "offset_group": offset_group, "pads": pads, "strides": strides,
                    "dilations": dilations}, 1


@generator("Col2Im")
def col2im(dice, schema):
    rank = dice.int(1, 3)
    image, block = dice.ints(rank, 4, 7), dice.ints(rank, 1, 3)
    strides, pads = dice.ints(rank, 1, 2), dice.ints(2 * rank, 0, 1)
    blocks = [(image[a] + pads[a] + pads[rank + a] - block[a]) // strides[a] + 1
              for a in range(rank)]
    dims = [dice.int(1, 2), dice.int(1, 3) * int(np.prod(block)), int(np.prod(blocks))]
    return ([dice.first(schema, dims), fixed(image), fixed(block)],
            {"strides": strides, "pads": pads}, 1)


@generator("Det")
def det(dice, schema):
    n = dice.int(1, 6)
    return [dice.first(schema, [*dice.shape(0, 2), n, n])], {}, 1


@generator("MaxUnpool")
def max_unpool(dice, schema):
    rank = dice.int(1, 3)
    kernel, spatial = dice.ints(rank, 1, 3), dice.ints(rank, 1, 4)
    attributes = {"kernel_shape": kernel, "strides": kernel}
    dims = [dice.int(1, 2), dice.int(1, 3), *spatial]
    out = dims[:2] + [k * s for k, s in zip(kernel, spatial)]
    x = dice.first(schema, dims)
    places = dice.rng.permutation(int(np.prod(out)))[:x.size].reshape(dims).astype(np.int64)
    return [x, places], attributes, 1
