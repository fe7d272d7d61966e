#include "schedules/loop_nest.h"

#include <algorithm>
#include <set>

namespace frit {
namespace {

using Halide::Internal::Function;

// Different reads of each Func in one definition.
class ReadCounter : public Halide::Internal::IRVisitor {
 public:
  std::map<std::string, Function> functions;
  std::map<std::string, std::set<std::string>> reads;  // by the text of the indices

  using IRVisitor::visit;
  void visit(const Halide::Internal::Call* call) override {
    IRVisitor::visit(call);
    if (call->call_type != Halide::Internal::Call::Halide || !call->func.defined()) return;
    std::ostringstream indices;
    for (const Halide::Expr& index : call->args) indices << index << ",";
    functions.emplace(call->name, Function(call->func));
    reads[call->name].insert(indices.str());
  }
};

void count_reads(const Halide::Internal::Definition& definition, ReadCounter& counter) {
  for (const Halide::Expr& value : definition.values()) value.accept(&counter);
  for (const Halide::Expr& index : definition.args()) index.accept(&counter);
  if (definition.predicate().defined()) definition.predicate().accept(&counter);
}

// The Func that a read of `callee` inside `reader` really goes to (in, clone_in).
Function redirected(const Function& callee, const std::string& reader) {
  const auto& wrappers = callee.schedule().wrappers();
  auto found = wrappers.find(reader);
  if (found == wrappers.end()) found = wrappers.find("");
  if (found == wrappers.end()) return callee;
  Function wrapper(found->second);
  return wrapper.name() == reader ? callee : wrapper;
}

}  // namespace

LoopNest::LoopNest(PipelineState& pipeline) : pipeline_(pipeline) {
  std::map<std::string, Function> seen;
  for (StageState* state : pipeline.stages()) {
    if (state->is_output) add_function(state->stage->func.function(), seen);
  }
}

void LoopNest::add_function(const Function& function, std::map<std::string, Function>& seen) {
  if (!seen.emplace(function.name(), function).second) return;
  for (int i = kPureDefinition; i < static_cast<int>(function.updates().size()); ++i) {
    ReadCounter counter;
    count_reads(i < 0 ? function.definition() : function.update(i), counter);
    for (const auto& [name, callee] : counter.functions) {
      if (name == function.name()) continue;  // an update reads what it updates
      const Function target = redirected(callee, function.name());
      readers_[target.name()].push_back(
          {function.name(), i, static_cast<int>(counter.reads.at(name).size())});
      add_function(target, seen);
    }
  }
}

void LoopNest::collect_uses(const std::string& function, int reads, std::vector<Use>& uses) const {
  const auto found = readers_.find(function);
  if (found == readers_.end()) return;
  for (const Reader& reader : found->second) {
    StageState* state = pipeline_.find_function(reader.function);
    const bool inlined = state == nullptr || state->compute.kind == Placement::Kind::kInline ||
                         (state->compute.kind == Placement::Kind::kUnplaced && !state->is_output &&
                          !state->stage->func.has_update_definition());
    if (inlined) {
      collect_uses(reader.function, reads * reader.reads, uses);
      continue;
    }
    const auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& use) {
      return use.consumer == state && use.definition == reader.definition;
    });
    if (same == uses.end()) {
      uses.push_back({state, reader.definition, reads * reader.reads});
    } else {
      same->reads += reads * reader.reads;
    }
  }
}

std::vector<Use> LoopNest::uses(const StageState& stage) const {
  std::vector<Use> uses;
  collect_uses(stage.stage->func.name(), 1, uses);
  return uses;
}

std::vector<Site> LoopNest::path_of(StageState& stage, int definition) const {
  std::vector<Site> path = path_to_compute(stage);
  std::vector<Loop> loops = loops_of(stage, definition);
  std::reverse(loops.begin(), loops.end());
  for (Loop& loop : loops) path.push_back({&stage, definition, std::move(loop)});
  return path;
}

std::vector<Site> LoopNest::path_to_compute(const StageState& stage) const {
  if (stage.compute.kind != Placement::Kind::kAt) return {};
  std::vector<Site> legal = legal_sites(stage);
  const auto site = std::find_if(legal.begin(), legal.end(), [&](const Site& candidate) {
    return candidate.stage == stage.compute.consumer && candidate.loop.name == stage.compute.loop;
  });
  if (site == legal.end()) return {};
  legal.erase(site + 1, legal.end());
  return legal;
}

std::vector<Site> LoopNest::legal_sites(const StageState& stage) const {
  std::vector<Site> common;
  bool first = true;
  for (const Use& use : uses(stage)) {
    std::vector<Site> path = path_of(*use.consumer, use.definition);
    if (first) {
      common = std::move(path);
      first = false;
      continue;
    }
    const auto [end, ignored] =
        std::mismatch(common.begin(), common.end(), path.begin(), path.end());
    common.erase(end, common.end());
  }
  return common;
}

std::string path_text(const std::vector<Site>& path) {
  std::string text;
  for (const Site& site : path) {
    if (site.loop.name == "outermost") continue;
    text += (text.empty() ? "" : " > ") + definition_name(*site.stage, site.definition) + "." +
            site.loop.name;
  }
  return text.empty() ? "the root" : text;
}

}  // namespace frit
