#include <gtest/gtest.h>

#include <string>

#include "ops/attributes.h"
#include "ops/operator.h"
#include "ops/reference/reference.h"

namespace frit::test {
namespace {

// A kernel that nothing can be compared with would pass every check.
TEST(Registry, EveryOperatorHasAReference) {
  for (const Operator* op : all_operators()) {
    EXPECT_TRUE(has_reference(op->domain(), op->type())) << op->type();
  }
}

// An attribute that frit would not read is refused, so each operator's must be listed; look-ups and
// pages expect them in order.
TEST(Registry, AttributesAreSortedAndNamedOnce) {
  for (const Operator* op : all_operators()) {
    const Attributes& all = op->attributes();
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_LT(all[i - 1].name, all[i].name) << op->type();
    }
    EXPECT_EQ(known_attributes(op->domain(), op->type()), &all);
  }
  EXPECT_EQ(known_attributes("", "NoSuchOperator"), nullptr);
}

// Few lines that fit a terminal, in characters that every one has.
TEST(Registry, EveryOperatorSaysItsFormula) {
  for (const Operator* op : all_operators()) {
    const std::string formula(op->formula());
    EXPECT_FALSE(formula.empty()) << op->type();
    std::size_t width = 0;
    int lines = 1;
    for (const char c : formula) {
      EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << op->type();
      width = c == '\n' ? 0 : width + 1;
      lines += c == '\n';
      EXPECT_LE(width, 115U) << op->type();
    }
    EXPECT_LE(lines, 3) << op->type();
    EXPECT_EQ(formula.find(op->type()) == 0, false) << op->type() << " is explained by itself";
  }
}

TEST(Registry, IsSortedAndHoldsEachOperatorOnce) {
  const auto& all = all_operators();
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_LT(std::pair(all[i - 1]->domain(), all[i - 1]->type()),
              std::pair(all[i]->domain(), all[i]->type()));
  }
  for (const Operator* op : all) EXPECT_EQ(find_operator(op->domain(), op->type()), op);
  EXPECT_EQ(find_operator("", "NoSuchOperator"), nullptr);
}

}  // namespace
}  // namespace frit::test
