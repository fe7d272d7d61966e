#include <gtest/gtest.h>

#include "ops/reference/reference.h"
#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

// Folded by the reference, whose tables are judged by hand.
Tensor folded(const OpCase& test) {
  std::vector<RefTensor> inputs;
  for (const auto& value : test.values) inputs.push_back(RefTensor::from(*value));
  std::vector<const RefTensor*> pointers;
  for (const RefTensor& input : inputs) pointers.push_back(&input);
  return evaluate_reference(test.op, pointers, RefPrecision::kDouble)->at(0).to_tensor();
}

OpCase window(const char* type, std::int64_t size, AttributeMap attributes) {
  return make_op(type, 17, std::move(attributes), {Tensor::i64({}, {size})}, {0});
}

TEST(Windows, OfFourPoints) {
  EXPECT_EQ(difference(folded(window("HannWindow", 4, {})), {0, 0.5, 1, 0.5}, 1e-6, 1e-7), "");
  EXPECT_EQ(difference(folded(window("HannWindow", 5, {{"periodic", std::int64_t{0}}})),
                       {0, 0.5, 1, 0.5, 0}, 1e-6, 1e-7),
            "");
  EXPECT_EQ(difference(folded(window("BlackmanWindow", 4, {})), {0, 0.34, 1, 0.34}, 1e-6, 1e-7),
            "");
  EXPECT_EQ(difference(folded(window("HammingWindow", 2, {{"output_datatype", std::int64_t{11}}})),
                       {4.0 / 46, 1}, 1e-9),
            "");
}

TEST(Windows, RefuseASizeBelowZero) {
  EXPECT_NE(refusal_of(window("HannWindow", -1, {})).find("at least 0"), std::string::npos);
}

TEST(Windows, MelWeightsAreTriangles) {
  const auto scalar = [](std::int64_t value) { return Tensor::i64({}, {value}); };
  const OpCase test =
      make_op("MelWeightMatrix", 17, {},
              {scalar(2), scalar(8), scalar(8000), Tensor::f32({}, {0}), Tensor::f32({}, {4000})},
              {0, 1, 2, 3, 4});
  // corners at mel 0, 536.5, 1073, 1609.6: 0, 427, 1114, 2220 Hz, bins 0, 0, 1, 2
  EXPECT_EQ(difference(folded(test), {1, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 1e-6), "");
}

}  // namespace
}  // namespace frit::test
