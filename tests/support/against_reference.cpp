#include "tests/support/against_reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ops/reference/reference.h"

namespace frit::test {
namespace {

RefTensor reference_of(const OpCase& test) {
  std::vector<RefTensor> values(test.values.size());
  std::vector<const RefTensor*> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (test.values[i]) values[i] = RefTensor::from(*test.values[i]);
    inputs.push_back(test.values[i] ? &values[i] : nullptr);
  }
  auto outputs = evaluate_reference(test.op, inputs, RefPrecision::kDoubleBounded);
  if (!outputs) throw InternalError(to_text(outputs.error()));
  return outputs->at(0);
}

bool near(double got, double wanted, double bound) {
  if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
  return got == wanted || std::abs(got - wanted) <= bound;
}

void expect_canonical_infers_the_same(const OpCase& test) {
  OpInstance op = test.op;
  const Operator* rule = find_operator(op.domain, op.type);
  auto stated = rule->infer(op);
  ASSERT_TRUE(stated.has_value()) << to_text(stated.error());
  op.outputs = *stated;
  ASSERT_TRUE(rule->canonicalise(op).has_value());
  auto canonical = find_operator(op.domain, op.type)->infer(op);
  ASSERT_TRUE(canonical.has_value()) << to_text(canonical.error());
  EXPECT_EQ(*canonical, *stated);
}

}  // namespace

void expect_as_reference(const OpCase& test, const Tensor& got) {
  const RefTensor wanted = reference_of(test);
  EXPECT_EQ(dims_text(got.dims()), dims_text(wanted.dims));
  EXPECT_EQ(got.dtype(), wanted.dtype);
  if (got.dims() != wanted.dims || got.dtype() != wanted.dtype) return;
  int wrong = 0;
  if (!is_float(got.dtype())) {
    const std::vector<std::int64_t> values = got.to_ints();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == wanted.integer[i] || ++wrong > 3) continue;
      ADD_FAILURE() << "element " << i << " is " << values[i] << ", not " << wanted.integer[i];
    }
    return;
  }
  const std::vector<double> values = got.to_doubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = wanted.bound.empty() ? 0.0 : wanted.bound[i];
    if (near(values[i], wanted.real[i], bound) || ++wrong > 3) continue;
    ADD_FAILURE() << "element " << i << " is " << values[i] << ", not " << wanted.real[i]
                  << " within " << bound;
  }
}

void expect_as_reference(const OpCase& test) {
  expect_canonical_infers_the_same(test);
  const Tensor dense = run_one(test);
  expect_as_reference(test, dense);
  std::vector<int> order(static_cast<std::size_t>(dense.rank()));
  std::iota(order.begin(), order.end(), 0);
  {
    SCOPED_TRACE("first axis innermost");
    expect_as_reference(test, run_one(test, order));
  }
  SCOPED_TRACE("with halo");
  auto haloed = run_op(test, {}, Halo::kAsReached);
  ASSERT_TRUE(haloed.has_value()) << to_text(haloed.error());
  expect_as_reference(test, haloed->at(0));
}

}  // namespace frit::test
