// Einsum: values by hand, every kind of equation against the reference, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

OpCase einsum(const std::string& equation, std::vector<Ints> dims, DType dtype = DType::kF32) {
  std::vector<std::optional<Tensor>> values;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    values.push_back(random_tensor(dtype, dims[i], -4, 4, static_cast<unsigned>(i + 1)));
  }
  return make_op("Einsum", 12, {{"equation", equation}}, std::move(values));
}

TEST(Einsum, DiagonalAndTraceByHand) {
  const Tensor x = Tensor::f32({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(difference(run_one(make_op("Einsum", 12, {{"equation", std::string("ii->i")}}, {x})),
                       {1, 5, 9}, 0),
            "");
  EXPECT_EQ(
      difference(run_one(make_op("Einsum", 12, {{"equation", std::string("ii")}}, {x})), {15}, 0),
      "");
}

TEST(EinsumSlow, EveryEquationAsTheReference) {
  const std::vector<std::pair<const char*, std::vector<Ints>>> cases = {
      {"ij->ji", {{3, 17}}},
      {"ij", {{3, 5}}},
      {"ba", {{3, 5}}},
      {"i j -> i", {{3, 17}}},
      {"ij->", {{3, 17}}},
      {"i,i", {{17}, {17}}},
      {"i,j->ij", {{3}, {17}}},
      {"i,j->ji", {{3}, {17}}},
      {"bij,bjk->bik", {{5, 2, 3}, {5, 3, 4}}},
      {"bij,bjk->kib", {{5, 2, 3}, {5, 3, 4}}},
      {"bhqd,bhkd->bhqk", {{2, 3, 5, 7}, {2, 3, 4, 7}}},
      {"...ii->...i", {{3, 5, 5}}},
      {"...ij,...jk->...ik", {{2, 1, 3, 5}, {4, 5, 2}}},
      {"i...,i...->...", {{3, 2, 4}, {3, 2, 4}}},
      {"...,...", {{2, 3}, {3}}},
      {"...,...->...", {{}, {3}}},
      {"ab,bc,cd->ad", {{3, 2}, {2, 7}, {7, 4}}},
      {"ab,ab,ab->b", {{3, 4}, {3, 4}, {3, 4}}},
      {"a,b,c->cab", {{2}, {3}, {5}}},
      {"iii->i", {{3, 3, 3}}},
      {"iij,jk->ki", {{3, 3, 2}, {2, 5}}},
      {"ij,ij->i", {{3, 1}, {3, 5}}},
      {"ij,kl->", {{3, 2}, {4, 5}}},
      {"ij,jk->ik", {{3, 0}, {0, 4}}},
      {"ij,jk->ik", {{0, 2}, {2, 4}}},
      {"aB,Bc", {{2, 3}, {3, 4}}},
  };
  for (const auto& [equation, dims] : cases) {
    SCOPED_TRACE(equation);
    expect_as_reference(einsum(equation, dims));
  }
}

TEST(Einsum, EveryTypeAsTheReference) {
  for (const DType dtype : {DType::kF64, DType::kF16, DType::kI8, DType::kU16}) {
    SCOPED_TRACE(name_of(dtype));
    expect_as_reference(einsum("ij,jk->ik", {{3, 17}, {17, 5}}, dtype));
    expect_as_reference(einsum("ij,ij->j", {{3, 17}, {3, 17}}, dtype));
  }
}

TEST(Einsum, RefusesWhatItCannotRead) {
  EXPECT_THAT(refusal_of(einsum("ij,jk->ik", {{2, 3}})),
              HasSubstr("2 operands but the node has 1"));
  EXPECT_THAT(refusal_of(einsum("i1->i", {{2, 3}})), HasSubstr("has '1'"));
  EXPECT_THAT(refusal_of(einsum("ij->ik", {{2, 3}})), HasSubstr("'k' in its result but in no"));
  EXPECT_THAT(refusal_of(einsum("ij->ii", {{2, 3}})), HasSubstr("'i' twice"));
  EXPECT_THAT(refusal_of(einsum("ij,jk", {{2, 3}, {4, 5}})), HasSubstr("'j' of"));
  EXPECT_THAT(refusal_of(einsum("ii", {{1, 4}})), HasSubstr("'i' of"));
  EXPECT_THAT(refusal_of(einsum("ijk->i", {{2, 3}})), HasSubstr("3 letters but input 0"));
  EXPECT_THAT(refusal_of(einsum("...i->i", {{2, 3}})), HasSubstr("not in its result"));
}

}  // namespace
}  // namespace frit::test
