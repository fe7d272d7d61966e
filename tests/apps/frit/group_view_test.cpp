#include "apps/frit/group_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "generators/emit/target.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

using ::testing::HasSubstr;

Schedule schedule_of(const std::string& text, const std::string& file) {
  auto schedule = parse_schedule(text, file);
  if (!schedule) throw std::runtime_error(to_text(schedule.error().front()));
  return *schedule;
}

// y = exp(x), looked at under these schedules.
class GroupViews : public ::testing::Test {
 protected:
  GroupViews() {
    GraphBuilder b;
    b.output(b.add("Exp", "y", {b.input("x", {37})}));
    planned_.graph = b.graph();
    insert_layouts(planned_.graph);
    planned_.plan = *make_plan(planned_.graph, {});
    options_.target = *parse_target("host", false);
  }

  const Schedule no_stage_ = schedule_of(
      "schedule 1\nfor elementwise\npriority 3\nnothing.parallel(dim0)\n", "no_stage.sched");
  const Schedule good_ =
      schedule_of("schedule 1\nfor elementwise\npriority 1\nout.unroll(dim0, 2)\n", "good.sched");
  PlannedModel planned_;
  EmitOptions options_;
};

constexpr GroupView kAll[] = {GroupView::kStages, GroupView::kSchedule, GroupView::kNest,
                              GroupView::kStmt, GroupView::kAsm};

TEST_F(GroupViews, FallsBackWithAWarningAsABuildDoes) {
  for (const GroupView view : kAll) {
    options_.shipped_schedules = {no_stage_, good_};
    const auto texts = view_groups(planned_, "", view, options_);
    ASSERT_TRUE(texts) << to_text(texts.error().front());
    ASSERT_EQ(texts->groups.size(), 1U);
    EXPECT_EQ(texts->groups[0].schedule, "good.sched");
    EXPECT_NE(texts->groups[0].text, "");
    ASSERT_EQ(texts->warnings.size(), 1U);
    EXPECT_EQ(texts->warnings[0].code, "emit-fallback");
    EXPECT_THAT(texts->warnings[0].message, HasSubstr("no stage 'nothing'"));
    options_.shipped_schedules = {no_stage_};
    const auto plain = view_groups(planned_, "", view, options_);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->groups[0].schedule, "default");
  }
}

TEST_F(GroupViews, AUsersScheduleThatFailsIsTheAnswer) {
  options_.user_schedules = {no_stage_};
  for (const GroupView view : kAll) {
    const auto texts = view_groups(planned_, "", view, options_);
    ASSERT_FALSE(texts);
    EXPECT_EQ(texts.error().front().place.file, "no_stage.sched");
  }
}

}  // namespace
}  // namespace frit
