// The table of operators. Each family offers its classes through one function.
#include <algorithm>

#include "ops/batch_norm.h"
#include "ops/conv.h"
#include "ops/families.h"
#include "ops/gemm.h"
#include "ops/global_pool.h"
#include "ops/matmul.h"
#include "ops/operator.h"
#include "ops/pool.h"
#include "ops/reshape.h"

namespace frit {

const std::vector<const Operator*>& all_operators() {
  static const std::vector<const Operator*> operators = [] {
    std::vector<const Operator*> all;
    add_pointwise(all);
    add_binary(all);
    add_batch_norm(all);
    add_conv(all);
    add_gemm(all);
    add_global_pool(all);
    add_matmul(all);
    add_pool(all);
    add_reshape(all);
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
