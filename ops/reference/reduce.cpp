#include "ops/reference/tables.h"
namespace frit::ref {
std::span<const Entry> reduce_entries() { return {}; }
}  // namespace frit::ref
