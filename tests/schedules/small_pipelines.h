// Small pipelines with the roles of real groups, for tests of schedules: composed afresh for each
// schedule, realised in process, compared with the same pipeline left unscheduled.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedules/schedule.h"

namespace frit::testing {

/// Owns the stages of a view.
struct SmallPipeline {
  PipelineView view;
  std::deque<Stage> stages;
  std::vector<std::vector<int>> input_sizes;  // innermost first

  /// Axes outermost first; the last one is innermost in memory.
  Stage& add(const std::string& role, const std::vector<std::string>& axes,
             const std::vector<std::int64_t>& extents) {
    Stage& stage = stages.emplace_back();
    stage.role = role;
    stage.func = Halide::Func(role);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      stage.axes.emplace_back(axes[i]);
      stage.order.insert(stage.order.begin(), static_cast<int>(i));
    }
    stage.extents = extents;
    return stage;
  }

  Halide::ImageParam input(const std::string& role, const std::vector<int>& inner_first,
                           bool constant = false) {
    Halide::ImageParam param(Halide::Float(32), static_cast<int>(inner_first.size()), role);
    int stride = 1;
    for (std::size_t d = 0; d < inner_first.size(); ++d) {
      param.dim(static_cast<int>(d)).set_bounds(0, inner_first[d]).set_stride(stride);
      stride *= inner_first[d];
    }
    view.inputs.push_back({role, param, constant});
    input_sizes.push_back(inner_first);
    return param;
  }

  void finish(const std::string& anchor, Facts facts = {}) {
    view.anchor = anchor;
    view.facts = std::move(facts);
    for (Stage& stage : stages) view.stages.push_back(&stage);
    Stage& out = stages.back();
    for (std::size_t d = 0; d < out.order.size(); ++d) {
      const auto axis = static_cast<std::size_t>(out.order[d]);
      out.func.output_buffer()
          .dim(static_cast<int>(d))
          .set_bounds(0, static_cast<int>(out.extents[axis]));
    }
  }

  /// Runs on inputs that depend only on their role and size.
  std::vector<float> run() {
    std::vector<Halide::Buffer<float>> held;
    for (InputInfo& info : view.inputs) {
      Halide::Buffer<float> buffer(input_sizes[held.size()]);
      unsigned seed = 17;
      for (const char c : info.role) seed = seed * 31 + static_cast<unsigned char>(c);
      buffer.for_each_value([&](float& v) {
        seed = seed * 1664525 + 1013904223;
        v = static_cast<float>(seed >> 16 & 0xff) / 64.0F - 2.0F;
      });
      info.param.set(buffer);
      held.push_back(buffer);
    }
    Stage& out = stages.back();
    std::vector<int> sizes;
    for (const int axis : out.order) {
      sizes.push_back(static_cast<int>(out.extents[static_cast<std::size_t>(axis)]));
    }
    Halide::Buffer<float> result(sizes);
    try {
      out.func.realize(result);
    } catch (const Halide::Error& failure) {
      ADD_FAILURE() << failure.what();
    }
    return {result.begin(), result.end()};
  }
};

using Composer = std::function<std::unique_ptr<SmallPipeline>()>;

/// Every reduction at the root, all else inlined.
inline std::vector<float> unscheduled(const Composer& compose) {
  auto pipeline = compose();
  for (Stage& stage : pipeline->stages) {
    if (stage.is_reduction()) stage.func.compute_root();
  }
  return pipeline->run();
}

inline Halide::Target host() { return Halide::get_host_target(); }

inline Schedule parsed(const std::string& body, const std::string& file = "test.sched") {
  const bool whole = body.starts_with("schedule");
  auto schedule = parse_schedule(whole ? body : "schedule 1\nfor test\n" + body, file);
  if (!schedule) {
    std::string texts;
    for (const Diagnostic& fault : schedule.error()) texts += to_text(fault) + "\n";
    ADD_FAILURE() << texts;
    return *parse_schedule("schedule 1\nfor test\n", file);
  }
  return *schedule;
}

/// Facts of the view and this machine, with the file's params bound.
inline Result<Facts> bound_facts(const Schedule& schedule, const PipelineView& view) {
  Facts facts = target_facts(host(), 1);
  facts.insert(view.facts.begin(), view.facts.end());
  return bind_params(schedule, facts, {});
}

/// The faults of applying `body`; empty when all is well.
inline Diagnostics faults_of(const Composer& compose, const std::string& body) {
  auto pipeline = compose();
  const Schedule schedule = parsed(body);
  const auto bound = bound_facts(schedule, pipeline->view);
  if (!bound) return {bound.error()};
  const Status status = apply_schedule(schedule, pipeline->view, *bound, host());
  return status ? Diagnostics{} : Diagnostics{status.error()};
}

/// scheduled == unscheduled, bit by bit unless `tolerance` is given (relative to the largest).
inline void expect_same(const Composer& compose, const std::string& body, float tolerance = 0) {
  const std::vector<float> want = unscheduled(compose);
  auto pipeline = compose();
  const Schedule schedule = parsed(body);
  const auto bound = bound_facts(schedule, pipeline->view);
  ASSERT_TRUE(bound.has_value()) << to_text(bound.error());
  const Status status = apply_schedule(schedule, pipeline->view, *bound, host());
  ASSERT_TRUE(status.has_value()) << to_text(status.error());
  const std::vector<float> got = pipeline->run();
  ASSERT_EQ(want.size(), got.size());
  float scale = 1;
  for (const float v : want) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_LE(std::abs(want[i] - got[i]), tolerance * scale)
        << "element " << i << ": " << want[i] << " unscheduled, " << got[i] << " with\n"
        << body;
  }
}

/// out[y,x] = relu(b[y] + sum_r in[r,x] * w[r,y]) over r in [0,depth).
inline Composer product(int rows, int columns, int depth) {
  return [=] {
    auto p = std::make_unique<SmallPipeline>();
    auto in = p->input("in_0", {columns, depth});
    auto w = p->input("w", {rows, depth}, true);
    auto b = p->input("b", {rows}, true);
    Stage& acc = p->add("acc", {"y", "x"}, {rows, columns});
    const Halide::Var y = acc.axes[0], x = acc.axes[1];
    Halide::RDom r = reduction_domain({"r"}, {depth}, acc.reduction);
    acc() = b(y);
    acc() += in(x, r) * w(y, r);
    Stage& out = p->add("out", {"y", "x"}, {rows, columns});
    out() = Halide::max(acc(), 0.0F);
    p->finish("test", {{"x", columns}, {"y", rows}, {"r", depth}});
    return p;
  };
}

/// out[y,x] = sqrt(blur(in)), blur = pre[y,x] + pre[y,x+1] + pre[y+1,x], pre = in * 3 + 1.
inline Composer blur(int rows, int columns) {
  return [=] {
    auto p = std::make_unique<SmallPipeline>();
    auto in = p->input("in_0", {columns + 1, rows + 1});
    Stage& pre = p->add("pre_0", {"y", "x"}, {rows + 1, columns + 1});
    const Halide::Var y("y"), x("x");
    pre() = in(x, y) * 3.0F + 1.0F;
    Stage& sum = p->add("epi_0", {"y", "x"}, {rows, columns});
    sum() = pre({y, x}) + pre({y, x + 1}) + pre({y + 1, x});
    Stage& out = p->add("out", {"y", "x"}, {rows, columns});
    out() = Halide::abs(sum());
    p->finish("test", {{"x", columns}, {"y", rows}});
    return p;
  };
}

}  // namespace frit::testing
