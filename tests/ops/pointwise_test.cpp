#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();
using Ints = std::vector<std::int64_t>;

/// Plain values of both signs and sizes, then what breaks kernels. 31 elements: no vector fits.
Tensor special_values() {
  return Tensor::f32(
      {31}, {0.0F,   -0.0F, kInf,  -kInf, kNaN,   1.0F,    -1.0F,  0.5F,   -0.5F,  1.5F,    -1.5F,
             2.5F,   3.0F,  -3.0F, 6.0F,  100.0F, -100.0F, 1e-3F,  -1e-3F, 1e-20F, -1e-20F, 1e20F,
             -1e20F, 0.3F,  -0.7F, 4.49F, -4.51F, 88.0F,   -88.0F, 12.25F, -7.125F});
}

TEST(Pointwise, EveryFunctionMatchesTheReferenceOnSpecialValues) {
  for (const char* type :
       {"Relu",     "LeakyRelu", "Elu",   "Sigmoid", "Tanh",  "HardSigmoid", "HardSwish",
        "Softplus", "Erf",       "Gelu",  "Exp",     "Log",   "Sqrt",        "Reciprocal",
        "Abs",      "Neg",       "Floor", "Ceil",    "Round", "Sign",        "Identity"}) {
    SCOPED_TRACE(std::string(type));
    expect_as_reference(make_op(type, 20, {}, {special_values()}));
  }
}

TEST(Pointwise, AttributesAreRead) {
  const Tensor x = random_tensor(DType::kF32, {3, 7}, -4, 4, 1);
  expect_as_reference(make_op("LeakyRelu", 16, {{"alpha", 0.3F}}, {x}));
  expect_as_reference(make_op("Elu", 6, {{"alpha", 2.0F}}, {x}));
  expect_as_reference(make_op("HardSigmoid", 6, {{"alpha", 0.1F}, {"beta", 0.6F}}, {x}));
  expect_as_reference(make_op("Gelu", 20, {{"approximate", std::string("tanh")}}, {x}));
}

TEST(Pointwise, NarrowAndWideTypes) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF64}) {
    const Tensor x = random_tensor(dtype, {9}, -3, 3, 2);
    for (const char* type : {"Sigmoid", "Exp", "Gelu", "Relu", "Softplus"}) {
      SCOPED_TRACE(std::string(type) + " " + std::string(name_of(dtype)));
      expect_as_reference(make_op(type, 20, {}, {x}));
    }
  }
  for (const DType dtype : {DType::kI8, DType::kI32, DType::kI64}) {
    const Tensor x = random_tensor(dtype, {9}, -100, 100, 3);
    for (const char* type : {"Relu", "Abs", "Neg", "Sign"}) {
      SCOPED_TRACE(std::string(type) + " " + std::string(name_of(dtype)));
      expect_as_reference(make_op(type, 14, {}, {x}));
    }
  }
  const Tensor flags = random_tensor(DType::kBool, {9}, 0, 1, 4);
  expect_as_reference(make_op("Not", 1, {}, {flags}));
}

TEST(Pointwise, ClipOfEachOpsetAndBoundKind) {
  const Tensor x = special_values();
  const Tensor low = Tensor::f32({}, {-1.0F}), high = Tensor::f32({}, {2.0F});
  expect_as_reference(make_op("Clip", 6, {{"min", -1.0F}, {"max", 2.0F}}, {x}));
  expect_as_reference(make_op("Clip", 6, {}, {x}));
  expect_as_reference(make_op("Clip", 13, {}, {x, low, high}, {1, 2}));
  expect_as_reference(make_op("Clip", 13, {}, {x, std::nullopt, high}, {2}));
  expect_as_reference(make_op("Clip", 13, {}, {x, low, high}, {1}));
  expect_as_reference(make_op("Clip", 13, {}, {x, high, low}, {1, 2}));  // crossed
  const Tensor integers = random_tensor(DType::kI64, {7}, -9, 9, 5);
  const Tensor big = Tensor::i64({}, {(std::int64_t{1} << 40) + 1}), small = Tensor::i64({}, {-3});
  expect_as_reference(make_op("Clip", 13, {}, {integers, small, big}, {1, 2}));
}

TEST(Pointwise, ClipBoundsBecomeAttributes) {
  OpCase test = make_op("Clip", 13, {},
                        {special_values(), Tensor::f32({}, {0}), Tensor::f32({}, {6})}, {1, 2});
  const Operator* clip = find_operator("", "Clip");
  test.op.outputs = *clip->infer(test.op);
  ASSERT_TRUE(clip->canonicalise(test.op));
  EXPECT_EQ(test.op.inputs.size(), 1U);
  EXPECT_EQ(float_attribute(test.op.attributes, "min", -1), 0);
  EXPECT_EQ(float_attribute(test.op.attributes, "max", -1), 6);
}

TEST(Pointwise, CastsTruncateSaturateAndMapNaNToZero) {
  const auto cast_to = [](DType to, const Tensor& x) {
    SCOPED_TRACE(std::string(name_of(to)));
    expect_as_reference(make_op("Cast", 13, {{"to", onnx_number(to)}}, {x}));
  };
  const Tensor x = Tensor::f32(
      {12}, {kNaN, kInf, -kInf, 3e9F, -3e9F, 1.9F, -1.9F, 255.5F, 256.0F, -0.5F, 1e20F, 127.9F});
  for (const DType to : {DType::kI8, DType::kU8, DType::kI16, DType::kI32, DType::kU32, DType::kI64,
                         DType::kU64, DType::kBool, DType::kF64, DType::kF16, DType::kBF16}) {
    cast_to(to, x);
  }
  const Tensor integers = random_tensor(DType::kI32, {9}, -1000, 1000, 6);
  for (const DType to : {DType::kF32, DType::kI64, DType::kI8, DType::kBool}) {
    cast_to(to, integers);
  }
}

TEST(Pointwise, KeepsSymbolicExtents) {
  OpCase test = make_op("Relu", 14, {}, {Tensor::f32({1, 4}, {1, 2, 3, 4})});
  test.op.inputs[0]->shape[1].symbol = "count";
  const auto out = find_operator("", "Relu")->infer(test.op);
  ASSERT_TRUE(out);
  EXPECT_EQ(to_text(out->at(0)), "f32[1,count<=4]");
}

TEST(Pointwise, Refusals) {
  const Tensor x = Tensor::i64({1}, {1});
  EXPECT_EQ(refusal_of(make_op("Sigmoid", 13, {}, {x})),
            "Sigmoid 'node': its input is i64 but must be one of f16, bf16, f32, f64; put a Cast "
            "before it [onnx-type]");
  EXPECT_EQ(refusal_of(make_op("Sigmoid", 13, {}, {x, x})),
            "Sigmoid 'node' has 2 inputs but takes 1; the model is not valid ONNX [onnx-type]");
  EXPECT_EQ(refusal_of(make_op("Sigmoid", 13, {}, {std::nullopt})),
            "Sigmoid 'node' leaves input 0 out but it is not optional; the model is not valid ONNX "
            "[onnx-type]");
  EXPECT_EQ(
      refusal_of(
          make_op("Gelu", 20, {{"approximate", std::string("sine")}}, {Tensor::f32({1}, {1})})),
      "Gelu 'node': approximate is \"sine\" but must be \"none\" or \"tanh\"; check the model "
      "[onnx-attribute]");
  EXPECT_EQ(refusal_of(make_op("Clip", 13, {}, {x, Tensor::i64({2}, {1, 2})})),
            "Clip 'node': min is i64[2] but must be a scalar; check the model [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("Cast", 13, {{"to", std::int64_t{8}}}, {x})),
            "Cast 'node': to is 8, an element type that frit does not have; cast to a float, "
            "integer or bool type [onnx-attribute]");
}

}  // namespace
}  // namespace frit::test
