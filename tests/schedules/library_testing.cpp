#include "tests/schedules/library_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <span>

#include "generators/compose/compose.h"
#include "generators/compose/pack.h"
#include "generators/fusion/planner.h"
#include "schedules/schedule.h"

namespace frit::testing {
namespace {

// A buffer as its layout says, filled by name.
struct Held {
  std::vector<std::byte> memory;
  std::span<std::byte> bytes;  // aligned to 64
  Halide::Buffer<> buffer;
};

std::vector<halide_dimension_t> dims_of(const BufferLayout& layout) {
  std::vector<halide_dimension_t> dims;
  for (const BufferLayout::Dim& dim : layout.dims) {
    dims.emplace_back(static_cast<std::int32_t>(dim.min), static_cast<std::int32_t>(dim.extent),
                      static_cast<std::int32_t>(dim.stride));
  }
  return dims;
}

std::unique_ptr<Held> hold(const Halide::Type& type, const BufferLayout& layout) {
  auto held = std::make_unique<Held>();
  const auto size = static_cast<std::size_t>(layout.bytes);
  held->memory.resize(size + 64);
  const auto address = reinterpret_cast<std::uintptr_t>(held->memory.data());
  held->bytes = std::span(held->memory).subspan((64 - address % 64) % 64, size);
  const auto dims = dims_of(layout);
  held->buffer = Halide::Buffer<>(Halide::Runtime::Buffer<>(
      type, held->bytes.data() + layout.offset_bytes, static_cast<int>(dims.size()), dims.data()));
  return held;
}

void fill(Held& held, const Halide::Type& type, unsigned seed) {
  const std::size_t count = held.bytes.size() / static_cast<std::size_t>(type.bytes());
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    if (type == Halide::Float(32)) {
      reinterpret_cast<float*>(held.bytes.data())[i] =
          static_cast<float>(seed >> 16 & 0xff) / 64.0F - 2.0F;
    } else if (type == Halide::Int(64)) {
      reinterpret_cast<std::int64_t*>(held.bytes.data())[i] = static_cast<std::int64_t>(i % 2);
    }
  }
}

using Outputs = std::vector<std::vector<float>>;

// Runs a composed and scheduled group; empty and `failure` set when Halide refuses.
Outputs run(const Graph& graph, Composed& composed, const Halide::Target& target,
            std::string& failure) {
  std::vector<std::unique_ptr<Held>> held;
  for (ComposedInput& input : composed.inputs) {
    const Value& value = graph.value(input.value);
    auto one = hold(input.param.type(), input.layout);
    if (input.is_constant) {
      const Tensor data =
          input.pack ? pack_constant(*value.constant, input.axes, *input.pack) : *value.constant;
      std::copy(data.bytes().begin(), data.bytes().end(), one->bytes.begin());
    } else {
      fill(*one, input.param.type(), static_cast<unsigned>(input.value) + 3);
    }
    one->buffer.set_host_dirty();
    input.param.set(one->buffer);
    held.push_back(std::move(one));
  }
  std::vector<Halide::Func> funcs;
  std::vector<Halide::Buffer<>> buffers;
  for (ComposedOutput& output : composed.outputs) {
    funcs.push_back(output.func);
    held.push_back(hold(output.func.type(), output.layout));
    buffers.push_back(held.back()->buffer);
  }
  try {
    Halide::Pipeline(funcs).realize(Halide::Realization(buffers), target);
  } catch (const Halide::Error& error) {
    failure = error.what();
    return {};
  }
  Outputs outputs;
  for (Halide::Buffer<>& buffer : buffers) {
    buffer.copy_to_host();
    std::vector<float>& values = outputs.emplace_back();
    if (buffer.type() != Halide::Float(32)) continue;
    Halide::Buffer<float>(buffer).for_each_value([&](float v) { values.push_back(v); });
  }
  return outputs;
}

class Checker {
 public:
  Checker(const Graph& graph, const Plan& plan, const CheckOptions& options)
      : graph_(graph), plan_(plan), options_(options) {
    target_ = Halide::get_host_target();
    if (options.opencl) target_.set_feature(Halide::Target::OpenCL);
  }

  std::vector<Checked> group(const Group& group) {
    Facts facts = group_facts(graph_, plan_, group);
    facts.merge(target_facts(target_, options_.threads));
    auto plain = compose(graph_, plan_, group, {});
    if (!plain) return {{group.anchor, "compose", to_text(plain.error())}};
    for (Stage* stage : (*plain)->view.stages) {
      if (stage->func.has_update_definition()) stage->func.compute_root();
    }
    std::string failure;
    const Outputs want = run(graph_, **plain, Halide::get_host_target(), failure);
    if (!failure.empty()) return {{group.anchor, "unscheduled", failure}};
    std::vector<Checked> all;
    for (const Schedule& schedule : shipped_schedules()) {
      if (!applies(schedule, group.anchor, facts)) continue;
      all.push_back({group.anchor, schedule.file, under(group, &schedule, facts, want)});
      if (!options_.all_that_apply) break;
    }
    if (all.empty() || options_.with_default) {
      all.push_back({group.anchor, "default", under(group, nullptr, facts, want)});
    }
    return all;
  }

 private:
  std::string under(const Group& group, const Schedule* schedule, const Facts& facts,
                    const Outputs& want) {
    Facts bound = facts;
    std::vector<PackSpec> packs;
    if (schedule != nullptr) {
      auto values = bind_params(*schedule, facts, {});
      if (!values) return to_text(values.error());
      bound = *values;
      auto specs = packs_of(*schedule, bound);
      if (!specs) return to_text(specs.error());
      packs = *specs;
    }
    auto composed = compose(graph_, plan_, group, packs);
    if (!composed) return to_text(composed.error());
    const Status status = schedule != nullptr
                              ? apply_schedule(*schedule, (*composed)->view, bound, target_)
                              : apply_default_schedule((*composed)->view, bound, target_);
    if (!status) return to_text(status.error());
    std::string failure;
    const Outputs got = run(graph_, **composed, target_, failure);
    return failure.empty() ? difference(want, got) : failure;
  }

  static std::string difference(const Outputs& want, const Outputs& got) {
    for (std::size_t o = 0; o < want.size(); ++o) {
      float scale = 1e-3F;
      for (const float v : want[o]) scale = std::max(scale, std::abs(v));
      for (std::size_t i = 0; i < want[o].size(); ++i) {
        if (std::abs(want[o][i] - got[o][i]) <= 2e-5F * scale) continue;
        if (std::isnan(want[o][i]) && std::isnan(got[o][i])) continue;
        return fmt::format("output {} element {}: {} wanted, {} found", o, i, want[o][i],
                           got[o][i]);
      }
    }
    return "";
  }

  const Graph& graph_;
  const Plan& plan_;
  const CheckOptions& options_;
  Halide::Target target_;
};

}  // namespace

std::vector<Checked> check_groups(GraphBuilder& builder, const CheckOptions& options) {
  insert_layouts(builder.graph());
  const auto plan = make_plan(builder.graph(), {});
  if (!plan) return {{"", "plan", to_text(plan.error())}};
  std::vector<Checked> all;
  Checker checker(builder.graph(), *plan, options);
  for (const Group& group : plan->groups) {
    if (group.kind != GroupKind::kKernel) continue;
    for (Checked& one : checker.group(group)) all.push_back(std::move(one));
  }
  return all;
}

void expect_all_equal(GraphBuilder& builder, const std::string& anchor, const std::string& schedule,
                      const CheckOptions& options) {
  bool found = false;
  std::string seen;
  for (const Checked& one : check_groups(builder, options)) {
    EXPECT_EQ(one.failure, "") << one.group << " under " << one.schedule;
    found = found || (one.group == anchor && (schedule.empty() || one.schedule == schedule));
    seen += " " + one.group + ":" + one.schedule;
  }
  EXPECT_TRUE(found) << "no group " << anchor << " under " << schedule << " among" << seen;
}

}  // namespace frit::testing
