// Finding x * c * factor, whatever the order and grouping of the products.
//
// Exporters write c(x)·x·r as Mul(x,c)/6, x*(c/6), (x/6)*c, (0.5*x)*c … Starting from c, this walks
// along values with one reader each through Mul and Div by numbers until the wanted factor is met.
#pragma once

#include <optional>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

/// s*x + t of one source x by Mul, Add, Sub, Div with numbers.
struct ScaledShift {
  ValueId source = kNone;
  double scale = 1;
  double shift = 0;
  std::vector<NodeId> nodes;
};

/// Back from `value` through nodes that only this use needs. The source is where that ends; scale 1
/// and shift 0 where it is `value` itself. With `stop_at` the walk ends there at the latest.
ScaledShift scaled_shift(const Graph& graph, ValueId value, ValueId stop_at = kNone);

struct Product {
  NodeId root = kNone;  ///< the last product
  std::vector<NodeId> nodes;
};

/// The product c * factor (x = kNone), or c * x * factor, that `c` goes into; `factor` within two
/// float32 roundings. nullopt where there is none.
std::optional<Product> find_product(const Graph& graph, ValueId c, ValueId x, double factor);

}  // namespace frit
