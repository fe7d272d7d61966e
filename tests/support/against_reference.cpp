#include "tests/support/against_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/reference/reference.h"

namespace frit::test {
namespace {

std::vector<RefTensor> reference_of(const OpCase& test) {
  std::vector<RefTensor> values(test.values.size());
  std::vector<const RefTensor*> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (test.values[i]) values[i] = RefTensor::from(*test.values[i]);
    inputs.push_back(test.values[i] ? &values[i] : nullptr);
  }
  auto outputs = evaluate_reference(test.op, inputs, RefPrecision::kDoubleBounded);
  if (!outputs) throw InternalError(to_text(outputs.error()));
  return std::move(*outputs);
}

bool near(double got, double wanted, double bound) {
  if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
  return got == wanted || std::abs(got - wanted) <= bound;
}

/// The canonical form; expects it to infer the types of the stated one.
OpInstance canonical_of(const OpCase& test) {
  OpInstance op = test.op;
  const Operator* rule = find_operator(op.domain, op.type);
  auto stated = rule->infer(op);
  if (!stated) throw InternalError(to_text(stated.error()));
  op.outputs = *stated;
  if (Status done = rule->canonicalise(op); !done) throw InternalError(to_text(done.error()));
  auto canonical = find_operator(op.domain, op.type)->infer(op);
  if (!canonical) throw InternalError(to_text(canonical.error()));
  EXPECT_EQ(*canonical, *stated);
  return op;
}

bool asks_for_halo(const OpInstance& op) {
  const Operator* rule = find_operator(op.domain, op.type);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.has_input(i)) continue;
    const Operator::Reach reach = rule->reach(op, i);
    for (const auto* side : {&reach.low, &reach.high}) {
      if (std::any_of(side->begin(), side->end(), [](auto by) { return by > 0; })) return true;
    }
  }
  return false;
}

}  // namespace

namespace {

void expect_as(const RefTensor& wanted, const Tensor& got) {
  EXPECT_EQ(dims_text(got.dims()), dims_text(wanted.dims));
  EXPECT_EQ(got.dtype(), wanted.dtype);
  if (got.dims() != wanted.dims || got.dtype() != wanted.dtype) return;
  int wrong = 0;
  if (!is_float(got.dtype())) {
    const std::vector<std::int64_t> values = got.to_ints();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double bound = wanted.bound.empty() ? 0.0 : wanted.bound[i];
      const auto off = static_cast<double>(values[i]) - static_cast<double>(wanted.integer[i]);
      if (values[i] == wanted.integer[i] || std::abs(off) <= bound || ++wrong > 3) continue;
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

void expect_expansion_as_reference(const OpCase& test) {
  const auto got = run_op(test);
  ASSERT_TRUE(got.has_value()) << to_text(got.error());
  const std::vector<RefTensor> wanted = reference_of(test);
  ASSERT_GE(wanted.size(), got->size());
  for (std::size_t i = 0; i < got->size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    expect_as(wanted[i], (*got)[i]);
  }
}

}  // namespace

void expect_as_reference(const OpCase& test, const Tensor& got) {
  expect_as(reference_of(test).at(0), got);
}

void expect_as_reference(const OpCase& test) {
  if (find_operator(test.op.domain, test.op.type)->expands(test.op)) {
    expect_expansion_as_reference(test);
    return;
  }
  const OpInstance canonical = canonical_of(test);
  expect_as_reference(test, run_one(test));
  if (!asks_for_halo(canonical)) return;
  SCOPED_TRACE("with halo");
  auto haloed = run_op(test, {}, Halo::kAsReached);
  ASSERT_TRUE(haloed.has_value()) << to_text(haloed.error());
  expect_as_reference(test, haloed->at(0));
}

void expect_as_reference_transposed(const OpCase& test) {
  std::vector<int> order(static_cast<std::size_t>(canonical_of(test).outputs.at(0).rank()));
  std::iota(order.begin(), order.end(), 0);
  expect_as_reference(test, run_one(test, order));
}

}  // namespace frit::test
