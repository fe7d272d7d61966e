#include "generators/emit/temporaries.h"

#include <algorithm>

namespace frit {
namespace {

using Halide::Internal::Allocate;
using Halide::Internal::For;

// What Halide's CPU code generator keeps on the stack when left to choose.
constexpr std::int64_t kStackBytes = 16 * 1024;
// It may load up to three elements past the end of a buffer and allocates for that.
constexpr std::int64_t kPaddedElements = 3;
constexpr std::int64_t kAlignment = 64;

class Visitor : public Halide::Internal::IRVisitor {
 public:
  Temporaries found;
  std::string dynamic_name;

 private:
  using IRVisitor::visit;

  void visit(const Allocate* op) override {
    const std::int64_t bytes = heap_bytes(*op);
    std::int64_t& held = in_parallel_ ? worker_held_ : held_;
    std::int64_t& most = in_parallel_ ? found.worker_bytes : found.bytes;
    held += bytes;
    most = std::max(most, held);
    IRVisitor::visit(op);
    held -= bytes;
  }

  void visit(const For* op) override {
    const bool outer = in_parallel_;
    in_parallel_ = in_parallel_ || op->for_type == Halide::Internal::ForType::Parallel;
    IRVisitor::visit(op);
    in_parallel_ = outer;
  }

  std::int64_t heap_bytes(const Allocate& op) {
    using Halide::MemoryType;
    if (op.memory_type == MemoryType::Stack || op.memory_type == MemoryType::Register) return 0;
    if (op.new_expr.defined()) return 0;
    const std::int64_t elements = op.constant_allocation_size();
    if (elements == 0) {
      for (const Halide::Expr& extent : op.extents) {
        if (!Halide::Internal::is_const(extent)) dynamic_name = op.name;
      }
      return 0;
    }
    const std::int64_t bytes = elements * op.type.bytes();
    if (op.memory_type != MemoryType::Heap && bytes <= kStackBytes) return 0;
    const std::int64_t padded = bytes + kPaddedElements * op.type.bytes();
    return (padded + kAlignment - 1) / kAlignment * kAlignment;
  }

  bool in_parallel_ = false;
  std::int64_t held_ = 0, worker_held_ = 0;
};

}  // namespace

Result<Temporaries> temporaries_of(const Halide::Internal::Stmt& body) {
  Visitor visitor;
  body.accept(&visitor);
  if (!visitor.dynamic_name.empty()) {
    return fail("emit-temporary", "stage '" + visitor.dynamic_name +
                                      "' needs memory whose size is not constant; bound its loops "
                                      "(bound_extent, bound_storage) in the schedule");
  }
  return visitor.found;
}

}  // namespace frit
