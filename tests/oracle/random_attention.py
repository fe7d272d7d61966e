"""Generators of random_draws.py: the attention family."""
import numpy as np
from onnx import helper

from random_draws import TYPES, allowed, fixed, generator
from random_generators import has


def packed(array):
    """[b,h,t,d] as [b,t,h*d]."""
    b, h, t, d = array.shape
    return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(b, t, h * d)


def mask_shape(dice, b, heads, queries, keys):
    full = [b if dice.one_in(2) else 1, heads if dice.one_in(2) else 1, queries, keys]
    return full[dice.pick([0, 1, 2, 2]):]


def mask(dice, dtype, dims):
    if dtype == np.bool_:
        seen = dice.rng.uniform(size=dims) < 0.8
        seen[..., 0] = True  # a row that sees nothing: the corner tests
        return seen
    return dice.array(dtype, dims, -2, 2)


@generator("Attention")
def attention(dice, schema):
    b, group, kv = dice.int(1, 2), dice.int(1, 3), dice.int(1, 3)
    heads, queries, keys = group * kv, dice.pick([1, 3, 8, 17]), dice.pick([1, 4, 9, 16, 33])
    d, dv = dice.pick([2, 8, 16, 17]), dice.pick([2, 8, 16, 17])
    dice.without_special()
    q = dice.first(schema, [b, heads, queries, d], -2, 2)
    k = dice.array(q.dtype, [b, kv, keys, d], -2, 2)
    v = dice.array(q.dtype, [b, kv, keys, dv], -2, 2)
    past = dice.pick([0, 0, 2, 5]) if keys > 1 else 0
    inputs = [q, k, v, None, None, None]
    if past:
        inputs[4] = dice.array(q.dtype, [b, kv, past, d])
        inputs[5] = dice.array(q.dtype, [b, kv, past, dv])
    attributes = {}
    if dice.one_in(2):
        kind = np.bool_ if dice.one_in(2) else q.dtype
        inputs[3] = mask(dice, kind, mask_shape(dice, b, heads, queries, past + keys))
    if dice.one_in(3):
        attributes["is_causal"] = 1
    if dice.one_in(3):
        attributes["softcap"] = 2.0
    if dice.one_in(3):
        attributes["scale"] = 0.3
    if has(schema, "left_window_size") and dice.one_in(3):
        attributes |= {"left_window_size": dice.int(0, 5), "right_window_size": dice.int(0, 5)}
    if schema.since_version >= 24 and not past and dice.one_in(4):
        inputs.append(np.asarray(dice.ints(b, min(queries, keys), keys), np.int64))
        attributes.pop("is_causal", None)
    if dice.one_in(2):
        inputs[:3] = [packed(x) for x in inputs[:3]]
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv}
    outputs = dice.pick([1, 3, 4]) if past else dice.pick([1, 4]) if not inputs[6:] else 1
    if outputs == 4:
        attributes["qk_matmul_output_mode"] = dice.int(0, 3)
    return inputs, attributes, outputs


def angles(dice, dtype, rows, half):
    turn = dice.rng.uniform(-3, 3, [*rows, half])
    return [np.cos(turn).astype(dtype), np.sin(turn).astype(dtype)]


@generator("RotaryEmbedding")
def rotary(dice, schema):
    b, heads, t, half = dice.int(1, 2), dice.int(1, 4), dice.pick([1, 3, 8]), dice.int(1, 9)
    part = dice.one_in(3)
    size = 2 * half + (2 * dice.int(0, 3) if part else 0)
    dice.without_special()
    x = dice.first(schema, [b, heads, t, size])
    attributes = {"interleaved": dice.int(0, 1)}
    if part:
        attributes["rotary_embedding_dim"] = 2 * half
    places = dice.rng.integers(0, 20, [b, t]) if dice.one_in(2) else None
    caches = angles(dice, x.dtype, [b, t] if places is None else [20], half)
    if dice.one_in(2):
        x = packed(x)
        attributes["num_heads"] = heads
    return [x, *caches] + ([] if places is None else [places]), attributes, 1


@generator("LinearAttention")
def linear_attention(dice, schema):
    b, t, kv, group = dice.int(1, 2), dice.int(1, 4), dice.int(1, 2), dice.int(1, 2)
    d, dv = dice.pick([1, 4, 7]), dice.pick([1, 5, 8])
    dice.without_special()
    q = dice.first(schema, [b, t, kv * group * d], -1, 1)
    state = TYPES[dice.pick(allowed(schema, "S"))]
    rule = dice.pick(["linear", "gated", "delta", "gated_delta"])
    inputs = [q, dice.array(q.dtype, [b, t, kv * d], -0.5, 0.5),
              dice.array(q.dtype, [b, t, kv * dv], -1, 1),
              dice.array(state, [b, kv, d, dv], -1, 1) if dice.one_in(2) else None, None, None]
    if "gated" in rule:
        inputs[4] = dice.array(q.dtype, [b, t, kv * (d if dice.one_in(2) else 1)], -1, 0)
    if "delta" in rule:
        inputs[5] = dice.array(q.dtype, [b, t, dice.pick([kv, 1])], 0, 1)
    attributes = {"kv_num_heads": kv, "q_num_heads": kv * group, "update_rule": rule}
    if dice.one_in(3):
        attributes["scale"] = 0.4
    if rule == "gated_delta" and dice.one_in(3):
        del attributes["update_rule"]
    return inputs, attributes, 2  # the onnx package cannot infer types for one


@generator("CausalConvWithState")
def causal_conv(dice, schema):
    n, c, t, taps = dice.int(1, 2), dice.int(1, 9), dice.pick([1, 2, 8, 17]), dice.int(1, 4)
    dice.without_special()
    x = dice.first(schema, [n, c, t])
    inputs = [x, dice.array(x.dtype, [c, 1, taps])]
    inputs.append(dice.array(x.dtype, [c]) if dice.one_in(2) else None)
    if dice.one_in(2):
        inputs.append(dice.array(x.dtype, [n, c, taps - 1]))
    attributes = {} if dice.one_in(3) else {"activation": dice.pick(["none", "silu", "swish"])}
    return inputs, attributes, 2  # the onnx package cannot infer types for one


def score_mod(dtype):
    """Scores times a half."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    half = helper.make_node("Constant", [], ["half"],
                            value=helper.make_tensor("half", kind, [], [0.5]))
    info = [helper.make_tensor_value_info(n, kind, None) for n in ("s", "m")]
    return helper.make_graph([half, helper.make_node("Mul", ["s", "half"], ["m"])], "mod",
                             info[:1], info[1:])


@generator("ai.onnx.preview::FlexAttention")
def flex_attention(dice, schema):
    b, kv, group = dice.int(1, 2), dice.int(1, 2), dice.int(1, 3)
    queries, keys, d = dice.pick([1, 3, 8, 17]), dice.pick([1, 4, 16, 17]), dice.pick([2, 8, 17])
    dice.without_special()
    q = dice.first(schema, [b, kv * group, queries, d], -2, 2)
    attributes = {"scale": 0.3} if dice.one_in(3) else {}
    if q.dtype == np.float32 and dice.one_in(2):
        attributes["score_mod"] = score_mod(q.dtype)
    return [q, dice.array(q.dtype, [b, kv, keys, d], -2, 2),
            dice.array(q.dtype, [b, kv, keys, dice.pick([d, 5])], -2, 2)], attributes, 1


# --- com.microsoft's -----------------------------------------------------------------------------
def flags(dice, dims):
    seen = dice.rng.integers(0, 2, dims).astype(np.int32)
    seen[..., 0] = 1
    return seen


@generator("com.microsoft::MultiHeadAttention")
def multi_head(dice, schema):
    b, h, t, d = dice.int(1, 2), dice.int(1, 4), dice.pick([1, 3, 8]), dice.pick([4, 8, 16])
    own = dice.one_in(2)
    keys = t if own else dice.pick([1, 4, 9])
    dv = dice.pick([4, 8, 16])
    dice.without_special()
    q, k, v = (dice.array(np.float32, dims) for dims in
               ([b, t, h * d], [b, keys, h * d], [b, keys, h * dv]))
    inputs, attributes = [q, k, v, None, None, None], {"num_heads": h}
    if dice.one_in(3):
        inputs[3] = dice.array(np.float32, [h * (2 * d + dv)])
    if dice.one_in(3):
        inputs[4] = flags(dice, dice.pick([[b, keys], [b, t, keys]]))
    if dice.one_in(3):
        inputs[5] = dice.array(np.float32, [dice.pick([1, b]), dice.pick([1, h]), t, keys])
    if own and dice.one_in(4):
        attributes["unidirectional"] = 1
    if dice.one_in(3):
        attributes["scale"] = 0.3
    return inputs, attributes, 1


@generator("com.microsoft::Attention")
def merged_attention(dice, schema):
    b, h, t, d = dice.int(1, 2), dice.int(1, 4), dice.pick([1, 3, 8]), dice.pick([4, 8, 16])
    width = dice.pick([4, 12, 17])
    dice.without_special()
    inputs = [dice.array(np.float32, dims) for dims in
              ([b, t, width], [width, 3 * h * d], [3 * h * d])]
    attributes = {"num_heads": h}
    kind = dice.int(0, 3)
    if kind == 1:
        inputs.append(flags(dice, [b, t]))
    elif kind == 2:
        inputs.append(np.asarray(dice.ints(b, 1, t), np.int32))
    elif kind == 3:
        inputs += [None, None, dice.array(np.float32, [dice.pick([1, b]), dice.pick([1, h]), t, t])]
    if dice.one_in(3):
        attributes["unidirectional"] = 1
    return inputs, attributes, 1


@generator("com.microsoft::GroupQueryAttention")
def group_query(dice, schema):
    b, kv, group, d = dice.int(1, 2), dice.int(1, 2), dice.int(1, 3), dice.pick([8, 16])
    step = dice.one_in(2)
    t, past = (1, dice.pick([1, 5, 9])) if step else (dice.pick([2, 5, 8]), 0)
    dice.without_special()
    inputs = [dice.array(np.float32, [b, t, n * d]) for n in (kv * group, kv, kv)]
    caches = [dice.array(np.float32, [b, kv, past, d]) for _ in range(2)] if step else [None] * 2
    total = t + past  # every sentence is full: what lies beyond an end is open
    inputs += [*caches, np.full([b], total - 1, np.int32), fixed([total], np.int32)]
    attributes = {"num_heads": kv * group, "kv_num_heads": kv}
    if dice.one_in(2):
        inputs += angles(dice, np.float32, [20], d // 2)
        attributes |= {"do_rotary": 1, "rotary_interleaved": dice.int(0, 1)}
    if dice.one_in(3):
        attributes["local_window_size"] = dice.int(1, 4)
    if dice.one_in(3):
        attributes["softcap"] = 1.5
    return inputs, attributes, 3


@generator("com.microsoft::RotaryEmbedding")
def microsoft_rotary(dice, schema):
    b, heads, t, half = dice.int(1, 2), dice.int(1, 4), dice.pick([1, 3, 8]), dice.pick([4, 8])
    dice.without_special()
    x = dice.array(np.float32, [b, heads, t, 2 * half])
    attributes = {"interleaved": dice.int(0, 1)}
    places = (dice.rng.integers(0, 20, [b, t]) if dice.one_in(2) else
              np.asarray([dice.int(0, 9)], np.int64))
    return ([packed(x) if dice.one_in(2) else x, places,
             *angles(dice, np.float32, [20], half)], attributes, 1)
