// Text of a plan against the sample models: the first byte chooses the model, the rest is the text.
#include "generators/fusion/plan_text.h"

#include "tests/fuzz/must.h"
#include "tests/fuzz/planned_samples.h"

namespace frit::testing {
namespace {

void read(const PlannedModel& model, const std::string& text) {
  const auto plan = parse_plan(text, "plan", model.graph, {});
  if (!plan) return must_speak(plan.error());
  const std::string normal = to_text(*plan, model.graph);
  const auto again = parse_plan(normal, "plan", model.graph, {});
  must(again.has_value(), "a plan that was taken is refused as printed:\n" + normal);
  must(to_text(*again, model.graph) == normal, "a plan's text reads as another plan:\n" + normal);
  compare_plan(text, "plan", model.graph, model.plan);
}

}  // namespace
}  // namespace frit::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto& samples = frit::testing::planned_samples();
  frit::testing::read(samples[data[0] % samples.size()],
                      {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
