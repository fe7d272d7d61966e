// Operators that normalise along some axes (softmax, layer norm): their axes and stages.
//
// Names for schedules: a normalised axis is "r" when it is the only one, else "r0", "r1", …; the
// others are "d0", "d1", … by position. Row statistics are stages over the other axes only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ops/operator.h"

namespace frit {

/// Names of all axes of a rank, given the normalised ones (sorted).
std::vector<std::string> row_axis_names(int rank, const std::vector<std::int64_t>& normalised);

/// Extents under those names, "reduced" (elements of a row) and "outputs" (number of rows).
Facts row_facts(const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& normalised);

/// Builds stages of such an operator.
class Rows {
 public:
  Rows(StageBuilder& stages, std::vector<std::int64_t> normalised);

  /// A pure stage over the rows.
  Stage& statistic(const std::string& role);
  /// A stage over the rows with fresh reduction variables; `at` becomes the index that they and
  /// the row axes form.
  Stage& accumulator(const std::string& role, Index& at);
  /// The row that index belongs to.
  Index row_of(const Index& index) const;
  /// The row of the current element.
  Index row() const { return row_of(stages_.index()); }
  std::int64_t row_elements() const;

 private:
  StageBuilder& stages_;
  std::vector<std::int64_t> normalised_;
  std::vector<int> outer_;  ///< the other axes
};

}  // namespace frit
