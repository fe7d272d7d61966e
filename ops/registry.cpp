// The table of operators. Each family offers its classes through one function.
#include <algorithm>

#include "ops/families.h"
#include "ops/operator.h"

namespace frit {

const std::vector<const Operator*>& all_operators() {
  static const std::vector<const Operator*> operators = [] {
    std::vector<const Operator*> all;
    add_pointwise(all);
    add_binary(all);
    std::sort(all.begin(), all.end(), [](const Operator* a, const Operator* b) {
      return std::pair(a->domain(), a->type()) < std::pair(b->domain(), b->type());
    });
    return all;
  }();
  return operators;
}

const Operator* find_operator(std::string_view domain, std::string_view type) {
  for (const Operator* op : all_operators()) {
    if (op->type() == type && op->domain() == domain) return op;
  }
  return nullptr;
}

}  // namespace frit
