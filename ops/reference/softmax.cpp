#include "ops/reference/tables.h"
namespace frit::ref {
std::span<const Entry> softmax_entries() { return {}; }
}  // namespace frit::ref
