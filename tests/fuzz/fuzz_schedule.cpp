// Text of a schedule: parsed, printed and parsed again, bound, applied and nested against a group.
//
// The groups are those of the sample models and the two small pipelines of tests/schedules ("for
// test"); a text is checked against one whose anchor its `for` names.
#include "generators/compose/compose.h"
#include "schedules/ast.h"
#include "schedules/check.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/planned_samples.h"
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

const Halide::Target& target() {
  static const Halide::Target made("x86-64-linux-sse41-avx-f16c-fma-avx2");
  return made;
}

CheckGroup group_of(const PlannedModel& model, const Group& group) {
  CheckGroup made;
  made.anchor = group.anchor;
  made.facts = group_facts(model.graph, model.plan, group);
  made.facts.merge(target_facts(target(), 4));
  made.target = target();
  made.compose = [&](const std::vector<PackSpec>& packs) -> Result<std::shared_ptr<PipelineView>> {
    auto composed = compose(model.graph, model.plan, group, packs);
    if (!composed) return fail(composed.error());
    const std::shared_ptr<Composed> owner = std::move(*composed);
    return std::shared_ptr<PipelineView>(owner, &owner->view);
  };
  return made;
}

CheckGroup group_of(const Composer& composer) {
  CheckGroup made;
  made.anchor = "test";
  made.facts = composer()->view.facts;
  made.facts.merge(target_facts(target(), 4));
  made.target = target();
  made.compose = [composer](const std::vector<PackSpec>&) -> Result<std::shared_ptr<PipelineView>> {
    const std::shared_ptr<SmallPipeline> pipeline = composer();
    return std::shared_ptr<PipelineView>(pipeline, &pipeline->view);
  };
  return made;
}

const std::vector<CheckGroup>& groups() {
  static const std::vector<CheckGroup> all = [] {
    std::vector<CheckGroup> made = {group_of(product(9, 31, 13)), group_of(blur(9, 31))};
    for (const PlannedModel& model : planned_samples()) {
      for (const Group& group : model.plan.groups) {
        if (group.kind == GroupKind::kKernel) made.push_back(group_of(model, group));
      }
    }
    return made;
  }();
  return all;
}

const CheckGroup& group_for(const Schedule& schedule, std::size_t choice) {
  std::vector<const CheckGroup*> fitting;
  for (const std::string& anchor : schedule.ast->anchors) {
    for (const CheckGroup& group : groups()) {
      if (group.anchor == anchor) fitting.push_back(&group);
    }
  }
  if (fitting.empty()) return groups()[choice % groups().size()];
  return *fitting[choice % fitting.size()];
}

void check(const std::string& text) {
  const auto schedule = parse_schedule(text, "text");
  if (!schedule) return must_speak(schedule.error());
  const std::string normal = print_schedule(*schedule);
  const auto again = parse_schedule(normal, "text");
  must(again.has_value(), "a schedule that was taken is refused as printed:\n" + normal);
  must(print_schedule(*again) == normal, "a schedule's text is printed otherwise:\n" + normal);
  const CheckReport report =
      check_schedule(text, "text", CheckDepth::kNest, &group_for(*schedule, text.size()));
  if (!report.ok()) must_speak(report.diagnostics);
}

}  // namespace
}  // namespace frit::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  frit::testing::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
