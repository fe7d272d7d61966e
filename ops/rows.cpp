#include "ops/rows.h"

#include <algorithm>

namespace frit {
namespace {

bool contains(const std::vector<std::int64_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

std::string reduced_name(std::size_t i, std::size_t count) {
  return count == 1 ? "r" : "r" + std::to_string(i);
}

}  // namespace

std::vector<std::string> row_axis_names(int rank, const std::vector<std::int64_t>& normalised) {
  std::vector<std::string> names;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) {
    names.push_back(contains(normalised, axis) ? reduced_name(next++, normalised.size())
                                               : "d" + std::to_string(axis));
  }
  return names;
}

Facts row_facts(const std::vector<std::int64_t>& dims,
                const std::vector<std::int64_t>& normalised) {
  Facts facts;
  const auto names = row_axis_names(static_cast<int>(dims.size()), normalised);
  std::int64_t reduced = 1, outputs = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    facts[names[axis]] = dims[axis];
    (contains(normalised, axis) ? reduced : outputs) *= dims[axis];
  }
  facts["reduced"] = reduced;
  facts["outputs"] = outputs;
  return facts;
}

Rows::Rows(StageBuilder& stages, std::vector<std::int64_t> normalised)
    : stages_(stages), normalised_(std::move(normalised)) {
  for (std::size_t axis = 0; axis < stages.axes().size(); ++axis) {
    if (!contains(normalised_, axis)) outer_.push_back(static_cast<int>(axis));
  }
}

Stage& Rows::statistic(const std::string& role) { return stages_.stage_over(role, outer_); }

Stage& Rows::accumulator(const std::string& role, Index& at) {
  Stage& stage = statistic(role);
  std::vector<std::string> names;  // innermost loop first
  std::vector<std::int64_t> extents;
  for (std::size_t i = normalised_.size(); i-- > 0;) {
    names.push_back(reduced_name(i, normalised_.size()));
    extents.push_back(stages_.extents()[static_cast<std::size_t>(normalised_[i])]);
  }
  reduction_domain(names, extents, stage.reduction);
  at = stages_.index();
  for (std::size_t i = 0; i < normalised_.size(); ++i) {
    at[static_cast<std::size_t>(normalised_[i])] =
        stage.reduction.at(reduced_name(i, normalised_.size()));
  }
  return stage;
}

Index Rows::row_of(const Index& index) const {
  Index row;
  for (const int axis : outer_) row.push_back(index[static_cast<std::size_t>(axis)]);
  return row;
}

std::int64_t Rows::row_elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t axis : normalised_) {
    elements *= stages_.extents()[static_cast<std::size_t>(axis)];
  }
  return elements;
}

}  // namespace frit
