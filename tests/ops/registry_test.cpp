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

// An attribute that frit would not read is refused, so each operator's must be listed.
TEST(Registry, EveryOperatorHasAListOfAttributes) {
  for (const Operator* op : all_operators()) {
    EXPECT_NE(known_attributes(op->domain(), op->type()), nullptr)
        << op->type() << " is missing in ops/attributes.cpp";
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
