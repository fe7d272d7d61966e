#include "schedules/directives.h"

#include <iterator>
#include <utility>

namespace frit {
namespace {

using Scope = DirectiveSpec::Scope;

// What placement.cpp and making.cpp apply; here for names, counts and forms.
std::vector<DirectiveSpec> later_directives() {
  return {
      {"compute_at", Scope::kPlacement, 2, 2, "compute_at(stage, loop)", nullptr},
      {"compute_root", Scope::kPlacement, 0, 0, "compute_root()", nullptr},
      {"compute_inline", Scope::kPlacement, 0, 0, "compute_inline()", nullptr},
      {"inline", Scope::kPlacement, 0, 0, "inline()", nullptr},
      {"compute_with", Scope::kPlacement, 2, 3, "compute_with(stage, loop [, alignment])", nullptr},
      {"store_at", Scope::kPlacement, 2, 2, "store_at(stage, loop)", nullptr},
      {"store_root", Scope::kPlacement, 0, 0, "store_root()", nullptr},
      {"hoist_storage", Scope::kPlacement, 2, 2, "hoist_storage(stage, loop)", nullptr},
      {"hoist_storage_root", Scope::kPlacement, 0, 0, "hoist_storage_root()", nullptr},
      {"rfactor", Scope::kMaking, 1, 2, "name = stage.update(n).rfactor(reduction, new_axis)",
       nullptr},
      {"in", Scope::kMaking, 0, 64, "name = stage.in(consumer, …)", nullptr},
      {"clone_in", Scope::kMaking, 1, 64, "name = stage.clone_in(consumer, …)", nullptr},
  };
}

struct NotOffered {
  const char* name;
  const char* reason;
};

constexpr NotOffered kNotOffered[] = {
    {"specialize", "shapes are constants; use 'if' on facts, which costs nothing at run time"},
    {"specialize_fail", "use 'when' to say which shapes the file is for"},
    {"async",
     "its tasks wait for each other, which the runtime of a package cannot; use 'parallel', or "
     "compute_at and fold_storage for a producer that keeps pace"},
    {"memoize", "Halide cannot cache what reads a buffer, and every kernel does"},
    {"set_estimate", "extents are constants already"},
    {"set_estimates", "extents are constants already"},
    {"copy_to_device", "the memory plan moves values between devices, not a kernel"},
    {"copy_to_host", "the memory plan moves values between devices, not a kernel"},
    {"hexagon", "no target of frit has a Hexagon"},
    {"trace_loads", "tracing is asked for with --debug, not in a schedule"},
    {"trace_stores", "tracing is asked for with --debug, not in a schedule"},
    {"trace_realizations", "tracing is asked for with --debug, not in a schedule"},
    {"add_trace_tag", "tracing is asked for with --debug, not in a schedule"},
    {"no_profiling", "frit profiles by kernel, not by Func"},
    {"debug_to_file", "use 'frit run --dump'"},
};

}  // namespace

const char* why_not_offered(const std::string& name) {
  for (const NotOffered& entry : kNotOffered) {
    if (name == entry.name) return entry.reason;
  }
  return nullptr;
}

const std::vector<DirectiveSpec>& all_directives() {
  static const std::vector<DirectiveSpec> kAll = [] {
    std::vector<DirectiveSpec> all = loop_directives();
    for (auto part : {gpu_directives(), storage_directives(), later_directives()}) {
      std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

const DirectiveSpec* find_directive(const std::string& name) {
  for (const DirectiveSpec& spec : all_directives()) {
    if (name == spec.name) return &spec;
  }
  return nullptr;
}

}  // namespace frit
