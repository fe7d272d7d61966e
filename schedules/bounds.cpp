#include "schedules/bounds.h"

#include <Halide.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace frit {
namespace {

namespace ir = Halide::Internal;

std::optional<std::int64_t> number(const Halide::Expr& e) {
  if (const auto* constant = e.as<ir::IntImm>()) return constant->value;
  if (const auto* cast = e.as<ir::Cast>()) return number(cast->value);
  return std::nullopt;
}

// Collects what Halide would check when the kernel starts.
class CheckReader : public ir::IRVisitor {
 public:
  struct Access {
    std::string buffer;  // "Input buffer in_0"
    std::int64_t dimension = 0, first = 0, last = 0;
  };
  std::vector<Access> accesses;
  std::map<std::string, std::int64_t> constraints;  // "in_0.extent.0" -> 32

  using IRVisitor::visit;
  void visit(const ir::AssertStmt* check) override {
    IRVisitor::visit(check);
    const auto* call = check->message.as<ir::Call>();
    if (call == nullptr || call->args.size() < 4) return;
    const auto* name = call->args[0].as<ir::StringImm>();
    if (name == nullptr) return;
    if (call->name == "halide_error_constraint_violated") {
      if (const auto value = number(call->args[3])) constraints[name->value] = *value;
    } else if (call->name == "halide_error_access_out_of_bounds") {
      const auto dimension = number(call->args[1]);
      const auto first = number(call->args[2]), last = number(call->args[3]);
      if (dimension && first && last) accesses.push_back({name->value, *dimension, *first, *last});
    }
  }
};

}  // namespace

Diagnostics accesses_outside(const Halide::Module& module, const SourcePlace& place) {
  CheckReader reader;
  for (const ir::LoweredFunc& function : module.functions()) function.body.accept(&reader);
  Diagnostics faults;
  for (const CheckReader::Access& access : reader.accesses) {
    const std::string name = access.buffer.substr(access.buffer.rfind(' ') + 1);
    const auto min = reader.constraints.find(fmt::format("{}.min.{}", name, access.dimension));
    const auto extent =
        reader.constraints.find(fmt::format("{}.extent.{}", name, access.dimension));
    if (min == reader.constraints.end() || extent == reader.constraints.end()) continue;
    const std::int64_t last = min->second + extent->second - 1;
    if (access.first >= min->second && access.last <= last) continue;
    Diagnostic fault =
        error("sched-bounds",
              fmt::format("the kernel touches '{}' at [{}, {}] of dimension {}, and the buffer has "
                          "[{}, {}]; use GuardWithIf on the split that overhangs",
                          name, access.first, access.last, access.dimension, min->second, last));
    fault.place = place;
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace frit
