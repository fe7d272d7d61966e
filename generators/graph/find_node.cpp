#include "generators/graph/find_node.h"

#include <algorithm>

namespace frit {

std::size_t find_node(const std::vector<Node>& nodes, NodeId id) {
  thread_local std::size_t last = 0;
  const std::size_t count = nodes.size();
  if (count == 0) return 0;
  const std::size_t start = std::min(last, count - 1);
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t after = start + step;
    const std::size_t before = start - step;  // wraps round to a huge number below 0
    if (after >= count && before >= count) break;
    if (after < count && nodes[after].id == id) return last = after;
    if (before < count && nodes[before].id == id) return last = before;
  }
  return count;
}

}  // namespace frit
