#include "schedules/loop_nest.h"

#include <algorithm>
#include <sstream>

namespace frit {
namespace {

using Halide::Internal::Function;

constexpr std::int64_t kManyReads = 1 << 20;  // counts stop here, so that they cannot overflow

// Names of the variables of an expression.
class VariableFinder : public Halide::Internal::IRGraphVisitor {
 public:
  std::set<std::string> names;

  using IRGraphVisitor::visit;
  void visit(const Halide::Internal::Variable* variable) override { names.insert(variable->name); }
};

// Reads of each Func in one definition.
class ReadCounter : public Halide::Internal::IRGraphVisitor {
 public:
  struct Reads {
    Function function;
    std::set<std::string> texts;  // of the indices
    std::vector<std::set<std::string>> variables;
  };
  std::map<std::string, Reads> reads;

  using IRGraphVisitor::visit;
  void visit(const Halide::Internal::Call* call) override {
    IRGraphVisitor::visit(call);
    if (call->call_type != Halide::Internal::Call::Halide || !call->func.defined()) return;
    Reads& found = reads.try_emplace(call->name, Reads{Function(call->func), {}, {}}).first->second;
    found.variables.resize(call->args.size());
    std::ostringstream text;
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      text << call->args[i] << ",";
      VariableFinder finder;
      call->args[i].accept(&finder);
      found.variables[i].merge(finder.names);
    }
    found.texts.insert(text.str());
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

bool is_inlined(const StageState* state) {
  if (state == nullptr || state->compute.kind == Placement::Kind::kInline) return true;
  return state->compute.kind == Placement::Kind::kUnplaced && !state->is_output &&
         !state->stage->func.has_update_definition();
}

// `names` of one Func's own variables, said in the variables of a Func that reads it.
std::set<std::string> translated(const std::set<std::string>& names,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<std::set<std::string>>& read_with) {
  std::set<std::string> result;
  for (std::size_t i = 0; i < arguments.size() && i < read_with.size(); ++i) {
    if (names.contains(arguments[i])) result.insert(read_with[i].begin(), read_with[i].end());
  }
  return result;
}

void add_use(std::vector<Use>& uses, Use use) {
  const auto same = std::find_if(uses.begin(), uses.end(), [&](const Use& other) {
    return other.consumer == use.consumer && other.definition == use.definition;
  });
  if (same == uses.end()) return uses.push_back(std::move(use));
  same->reads = std::min(kManyReads, same->reads + use.reads);
  for (std::size_t i = 0; i < use.variables.size() && i < same->variables.size(); ++i) {
    same->variables[i].merge(use.variables[i]);
  }
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
  arguments_[function.name()] = function.args();
  if (function.has_extern_definition()) return;  // it has no loops, and its inputs stand whole
  for (int i = kPureDefinition; i < static_cast<int>(function.updates().size()); ++i) {
    ReadCounter counter;
    count_reads(i < 0 ? function.definition() : function.update(i), counter);
    for (const auto& [name, reads] : counter.reads) {
      if (name == function.name()) continue;  // an update reads what it updates
      const Function target = redirected(reads.function, function.name());
      readers_[target.name()].push_back(
          {function.name(), i, static_cast<std::int64_t>(reads.texts.size()), reads.variables});
      add_function(target, seen);
    }
  }
}

const std::vector<Use>& LoopNest::uses_of(const std::string& function) const {
  if (const auto known = uses_.find(function); known != uses_.end()) return known->second;
  std::vector<Use> uses;
  const auto readers = readers_.find(function);
  if (readers != readers_.end()) {
    for (const Reader& reader : readers->second) {
      StageState* state = pipeline_.find_function(reader.function);
      if (!is_inlined(state)) {
        add_use(uses, {state, reader.definition, reader.reads, reader.variables});
        continue;
      }
      for (const Use& outer : uses_of(reader.function)) {
        Use use{
            outer.consumer, outer.definition, std::min(kManyReads, outer.reads * reader.reads), {}};
        for (const auto& names : reader.variables) {
          use.variables.push_back(
              translated(names, arguments_.at(reader.function), outer.variables));
        }
        add_use(uses, std::move(use));
      }
    }
  }
  return uses_.emplace(function, std::move(uses)).first->second;
}

const std::vector<Use>& LoopNest::uses(const StageState& stage) const {
  return uses_of(stage.stage->func.name());
}

std::vector<Site> LoopNest::path_of(const StageState& stage, int definition) const {
  std::vector<Site> path = path_to_compute(stage);
  std::vector<Loop> loops = loops_of(stage, definition);
  std::reverse(loops.begin(), loops.end());
  StageState* owner = pipeline_.find(stage.role());
  for (Loop& loop : loops) path.push_back({owner, definition, std::move(loop)});
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

const std::vector<Site>& LoopNest::legal_sites(const StageState& stage) const {
  if (const auto known = legal_.find(&stage); known != legal_.end()) return known->second;
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
  return legal_.emplace(&stage, std::move(common)).first->second;
}

bool LoopNest::is_legal(const StageState& stage) const {
  if (stage.compute.kind != Placement::Kind::kAt || stage.computed_with) return true;
  const std::vector<Site>& legal = legal_sites(stage);
  return std::any_of(legal.begin(), legal.end(), [&](const Site& site) {
    return site.stage == stage.compute.consumer && site.loop.name == stage.compute.loop;
  });
}

// Variables of `at` that the reads of `stage` depend on, by way of the stages between.
const std::set<std::string>& LoopNest::moving(const StageState& stage, const StageState& at) const {
  const auto key = std::pair(&stage, &at);
  if (const auto known = moving_.find(key); known != moving_.end()) return known->second;
  std::set<std::string> names;
  for (const Use& use : uses(stage)) {
    if (use.consumer == &at) {
      for (const auto& some : use.variables) names.insert(some.begin(), some.end());
      continue;
    }
    // The consumer's own variables, as far as they are axes: what it is asked for moves them.
    std::set<std::string> inner;
    for (const auto& some : use.variables) inner.insert(some.begin(), some.end());
    const std::vector<std::string>& axes = arguments_.at(use.consumer->stage->func.name());
    for (const Use& outer : uses(*use.consumer)) {
      if (outer.consumer == &at) names.merge(translated(inner, axes, outer.variables));
    }
    if (use.consumer->compute.kind == Placement::Kind::kAt &&
        use.consumer->compute.consumer != &at) {
      const std::set<std::string>& further = moving(*use.consumer, at);
      names.insert(further.begin(), further.end());
    }
  }
  return moving_.emplace(key, std::move(names)).first->second;
}

bool LoopNest::moves_with(const StageState& stage, const Site& site) const {
  const std::set<std::string>& names = moving(stage, *site.stage);
  return std::any_of(site.loop.roots.begin(), site.loop.roots.end(),
                     [&](const std::string& root) { return names.contains(root); });
}

void LoopNest::forget() {
  uses_.clear();
  legal_.clear();
  moving_.clear();
}

std::string path_text(const std::vector<Site>& path) {
  std::string text;
  for (const Site& site : path) {
    if (site.loop.name == "outermost") continue;
    text += (text.empty() ? "for " : " > for ") + definition_name(*site.stage, site.definition) +
            "." + site.loop.name;
  }
  return text.empty() ? "the root" : text;
}

}  // namespace frit
