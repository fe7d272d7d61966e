#include "generators/emit/temporaries.h"

#include <algorithm>

namespace frit {
namespace {

using Halide::Internal::Allocate;
using Halide::Internal::Call;

// What Halide's CPU code generator keeps on the stack when left to choose.
constexpr std::int64_t kStackBytes = 16 * 1024;
// It may load up to three elements past the end of a buffer and allocates for that.
constexpr std::int64_t kPaddedElements = 3;
constexpr std::int64_t kAlignment = 64;

class Visitor : public Halide::Internal::IRVisitor {
 public:
  std::int64_t most = 0;
  std::string dynamic_name;
  bool calls_tasks = false;

 private:
  using IRVisitor::visit;

  void visit(const Allocate* op) override {
    const std::int64_t bytes = heap_bytes(*op);
    held_ += bytes;
    most = std::max(most, held_);
    IRVisitor::visit(op);
    held_ -= bytes;
  }

  void visit(const Call* op) override {
    calls_tasks = calls_tasks || op->name == "halide_do_par_for";
    IRVisitor::visit(op);
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

  std::int64_t held_ = 0;
};

}  // namespace

Result<Temporaries> temporaries_of(const Halide::Module& module, const std::string& symbol) {
  Temporaries found;
  std::int64_t sum_of_tasks = 0;
  bool nested = false;
  for (const Halide::Internal::LoweredFunc& function : module.functions()) {
    Visitor visitor;
    function.body.accept(&visitor);
    if (!visitor.dynamic_name.empty()) {
      return fail("emit-temporary", "stage '" + visitor.dynamic_name +
                                        "' needs memory whose size is not constant; bound its "
                                        "loops (bound_extent, bound_storage) in the schedule");
    }
    if (function.name == symbol) {
      found.bytes = visitor.most;
      continue;
    }
    nested = nested || visitor.calls_tasks;
    sum_of_tasks += visitor.most;
    found.worker_bytes = std::max(found.worker_bytes, visitor.most);
  }
  // A parallel loop inside another runs within the task that meets it, on top of what that holds.
  if (nested) found.worker_bytes = sum_of_tasks;
  return found;
}

}  // namespace frit
