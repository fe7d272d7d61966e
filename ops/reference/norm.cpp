#include "ops/reference/tables.h"
namespace frit::ref {
std::span<const Entry> norm_entries() { return {}; }
}  // namespace frit::ref
