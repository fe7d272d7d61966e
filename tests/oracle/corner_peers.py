"""The independent judges of corner_values.py: ONNX Runtime and the onnx package's evaluator, and where
they are known to depart from the specification."""
import warnings

import ml_dtypes
import numpy as np
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator
import onnxruntime

onnxruntime.set_default_logger_severity(4)


def has_nan(case, data):
    return any(np.isnan(v).any() for v in floats_of(case, data))


def has_odd(case, data):
    return not all(np.isfinite(v).all() for v in floats_of(case, data))


def has_empty(case, data):
    return any(v.size == 0 for v in data.values())


def floats_of(case, data):
    """All float inputs, those known at build too."""
    known = [numpy_helper.to_array(t) for t in case.model.graph.initializer]
    every = [v for v in [*known, *data.values()] if v.dtype.kind not in "iub"]
    return [v.astype(np.float64) for v in every]


def is_scalar(case, data):
    return any(t.name == "x0" and not t.dims for t in case.model.graph.initializer)


def leaves_integers(case, data):
    """Whether a cast to the integers of the output leaves their range."""
    to = helper.tensor_dtype_to_np_dtype(case.model.graph.output[0].type.tensor_type.elem_type)
    if np.dtype(to).kind not in "iu":
        return False
    ends = np.iinfo(to)
    return any(not ((np.trunc(v) >= ends.min) & (np.trunc(v) < float(ends.max) + 1)).all()
               for v in floats_of(case, data))


def may_wrap(case, data):
    """Whether integers are so large that their sums, products or squares may wrap."""
    return any(v.dtype.kind in "iu" and v.size and
               np.abs(v.astype(np.float64)).max() > np.iinfo(v.dtype).max ** 0.5 / 64
               for v in data.values())


def empty_or_wraps(case, data):
    return has_empty(case, data) or may_wrap(case, data)


def pads_of_itself(case, data):
    names = {a.name: a for a in case.model.graph.node[0].attribute}
    same = "auto_pad" in names and names["auto_pad"].s.startswith(b"SAME")
    return same or has_nan(case, data)


def always(case, data):
    return True


# (judge, operator) -> (which data's values are not taken, why)
NAN, ODD, EMPTY, ALL = has_nan, has_odd, has_empty, always


DROPS_NAN = (NAN, "of a NaN and a number it takes the number")
DEVIATES = {
    ("ONNX Runtime", "ArgMax"): DROPS_NAN,
    ("ONNX Runtime", "ArgMin"): DROPS_NAN,
    ("ONNX Runtime", "DeformConv"): (NAN, "a NaN position reads 0"),
    ("ONNX Runtime", "DynamicQuantizeLinear"): (ODD, "its least and greatest pass NaN by"),
    ("ONNX Runtime", "Gemm"): (ODD, "alpha or beta 0 hides NaN and infinities, as in BLAS"),
    ("ONNX Runtime", "GlobalMaxPool"): (ODD, "it begins with the lowest number, not -inf"),
    ("ONNX Runtime", "GridSample"): (ODD, "a NaN position is cast to an integer"),
    ("ONNX Runtime", "Hardmax"): DROPS_NAN,
    ("ONNX Runtime", "LRN"): (ALL, "a NaN or large number that has left its running sum stays in it"),
    ("ONNX Runtime", "MaxPool"): (ODD, "it begins with the lowest number, not -inf"),
    ("ONNX Runtime", "Mish"): (ALL, "its softplus overflows"),
    ("ONNX Runtime", "ReduceLogSumExp"): (ALL, "its exponentials overflow"),
    ("ONNX Runtime", "ReduceMax"): DROPS_NAN,
    ("ONNX Runtime", "ReduceMin"): DROPS_NAN,
    ("ONNX Runtime", "ScatterElements"): DROPS_NAN,
    ("ONNX Runtime", "ScatterND"): DROPS_NAN,
    ("ONNX Runtime", "Where"): (ALL, "it adds the two choices, which loses the sign of zero"),
    ("ONNX Runtime", "com.microsoft::GroupQueryAttention"): (ODD, "it reads no hidden value"),
    ("ONNX Runtime", "com.microsoft::QuickGelu"): (ALL, "its sigmoid errs by 1e-7, not by ulps"),
    ("ONNX Runtime", "BatchNormalization"): (ODD, "it folds the mean into the bias: inf - inf"),
    ("ONNX Runtime", "BlackmanWindow"): (ALL, "it computes in float32 what cancels"),
    ("ONNX Runtime", "Cast"): (leaves_integers, "what the C++ cast gives"),
    ("ONNX Runtime", "CastLike"): (leaves_integers, "what the C++ cast gives"),
    ("ONNX Runtime", "LogSoftmax"): (ODD, "of doubles, the greatest of a row passes NaN by"),
    ("ONNX Runtime", "MatMulInteger"): (EMPTY, "a product of no terms is left unwritten"),
    ("ONNX Runtime", "MaxRoiPool"): (NAN, "of a NaN and a number it takes the number"),
    ("ONNX Runtime", "NonZero"): (is_scalar, "of a scalar it gives an index, where ONNX has none"),
    ("ONNX Runtime", "QLinearMatMul"): (EMPTY, "a product of no terms is left unwritten"),
    ("ONNX Runtime", "QuantizeLinear"): (NAN, "of NaN it gives the least code"),
    ("ONNX Runtime", "ReduceL1"): (may_wrap, "wrapping is left open"),
    ("ONNX Runtime", "ReduceL2"): (may_wrap, "wrapping is left open"),
    ("ONNX Runtime", "ReduceMean"): (empty_or_wraps, "of nothing it is 0; wrapping is left open"),
    ("ONNX Runtime", "ReduceSum"): (may_wrap, "wrapping is left open"),
    ("ONNX Runtime", "ReduceSumSquare"): (may_wrap, "wrapping is left open"),
    ("ONNX Runtime", "Resize"): (ODD, "of a clamped position the other neighbour has weight 0"),
    ("ONNX Runtime", "Shrink"): (may_wrap, "integers saturate"),
    ("ONNX Runtime", "SoftmaxCrossEntropyLoss"): (ODD, "the greatest of a row passes NaN by"),
    ("ONNX Runtime", "Swish"): (ALL, "its sigmoid errs by 1e-7, not by ulps"),
    ("ONNX Runtime", "Unique"): (NAN, "NaN equals NaN or not by its place"),
    ("ONNX Runtime", "Upsample"): (ODD, "of two neighbours that are one it takes halves"),
    ("ONNX Runtime", "com.microsoft::QuantizeLinear"): (NAN, "of NaN it gives the least code"),
    ("onnx", "AffineGrid"): (ODD, "the middle of its grid is not exactly 0"),
    ("onnx", "BatchNormalization"): (ALL, "it takes the older versions for training"),
    ("onnx", "Det"): (ODD, "LAPACK's pivots, and 0 where a pivot is NaN"),
    ("onnx", "GridSample"): (ODD, "a NaN position is cast to an integer"),
    ("onnx", "PRelu"): (ODD, "it adds both sides of 0, one times 0"),
    ("onnx", "SoftmaxCrossEntropyLoss"): (ALL, "it is the logarithm of an underflown softmax"),
    ("onnx", "SwiGLU"): (ODD, "an underflown sigmoid times infinity"),
    ("onnx", "Attention"): (ODD, "scores that are -inf by their data count as masked"),
    ("onnx", "BlackmanWindow"): (ALL, "what cancels is rounded otherwise"),
    ("onnx", "AveragePool"): (NAN, "it pads with NaN"),
    ("onnx", "Cast"): (leaves_integers, "what numpy's cast gives"),
    ("onnx", "CastLike"): (leaves_integers, "what numpy's cast gives"),
    ("onnx", "Clip"): (ODD, "a NaN bound of numpy's clip"),
    ("onnx", "DynamicQuantizeLinear"): (ODD, "NaN as an integer is not 0"),
    ("onnx", "Gemm"): (ODD, "it does not add a bias times 0"),
    ("onnx", "GlobalMaxPool"): (ALL, "it reduces an axis too many or too few unless the rank is 4"),
    ("onnx", "LRN"): (ALL, "it leaves out the last channels of a window"),
    ("onnx", "LogSoftmax"): (ALL, "it is the logarithm of an underflown softmax"),
    ("onnx", "LpNormalization"): (ALL, "of p = 1 it sums without absolute values"),
    ("onnx", "LpPool"): (NAN, "it pads with NaN"),
    ("onnx", "MaxPool"): (pads_of_itself, "it pads with NaN, and with less than nothing"),
    ("onnx", "OneHot"): (ALL, "it computes off + hot * (on - off)"),
    ("onnx", "Pow"): (ODD, "of exponent 0.5 it takes the square root"),
    ("onnx", "QuantizeLinear"): (ALL, "what int64 cannot hold wraps before it saturates"),
    ("onnx", "ReduceMean"): (may_wrap, "wrapping is left open"),
    ("onnx", "ReduceLogSumExp"): (ODD, "of +inf it subtracts inf from inf"),
    ("onnx", "Resize"): (ODD, "nearest is a sum with weights 0, which spreads NaN"),
    ("onnx", "RoiAlign"): (ODD, "its greatest of four passes NaN by"),
    ("onnx", "ScatterElements"): DROPS_NAN,
    ("onnx", "Unique"): (ALL, "of sorted=0 it sorts"),
}
for stream in ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
               "RandomUniformLike"):
    for peer in ("ONNX Runtime", "onnx"):
        DEVIATES[peer, stream] = (ALL, "the random stream is each implementation's own")


def is_taken(judge, case, data):
    deviation = DEVIATES.get((judge, case.operator))
    return deviation is None or not deviation[0](case, data)


def runtime_of(case):
    """A function of the inputs, or None where ONNX Runtime does not load the model."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(case.model.SerializeToString(), options,
                                               providers=["CPUExecutionProvider"])
    except Exception:  # it has a dozen exception types, all of which mean "not loaded"
        return None
    return lambda data: session.run(None, data)


def evaluator_of(case):
    narrow = any(value.dtype.itemsize == 2 and value.dtype.kind not in "iu"
                 for value in case.sets[0][1].values())  # it rounds each step
    if narrow or any(o.domain.startswith("com") for o in case.model.opset_import):
        return None
    try:
        evaluator = ReferenceEvaluator(case.model)
    except Exception:
        return None
    return lambda data: evaluator.run(None, data)


JUDGES = {"ONNX Runtime": runtime_of, "onnx": evaluator_of}


def judges_of(case):
    """name -> outputs of the data, None where it does not run them."""
    found = {}
    for name, make in JUDGES.items():
        judge = make(case)
        if judge is not None:
            found[name] = judge
    return found


def answer(name, case, judge, data):
    """The judge's outputs; None where it gives none or they are not taken."""
    if not is_taken(name, case, data):
        return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return judge(data)
    except Exception:  # whatever numpy raises
        return None


def first_where(hit, got, want):
    at = np.argwhere(hit)[0]
    return f"{got[tuple(at)]!s} for {want[tuple(at)]!s} at {at.tolist()}, {int(hit.sum())} of {hit.size}"


def differs(got, want, bound, signs):
    """"" or what is wrong. `bound`: what float32 may be off by; infinite: not judged."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {list(got.shape)} for {list(want.shape)}"
    if got.dtype != want.dtype:
        return f"type {got.dtype} for {want.dtype}"
    judged = np.isfinite(bound)
    if want.dtype.kind in "iub":
        hit = judged & (bound == 0) & (got != want)
        return first_where(hit, got, want) if hit.any() else ""
    step = {"float16": 1e-2, "bfloat16": 2e-2, "float64": 1e-12}.get(str(want.dtype), 3e-5)
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= 4 * bound + step * np.abs(b) + 2.4e-38
        off = ~near | np.isinf(a) | np.isinf(b)
    most = float(ml_dtypes.finfo(want.dtype).max)  # which a rounding may pass
    off &= ~(np.isinf(a) & (np.sign(a) == np.sign(b)) & (np.abs(b) >= most * (1 - step)))
    wrong = np.isnan(a) != np.isnan(b)
    wrong |= ~np.isnan(a) & ~np.isnan(b) & (a != b) & off
    if signs:
        wrong |= (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
    wrong &= judged
    return first_where(wrong, got, want) if wrong.any() else ""
