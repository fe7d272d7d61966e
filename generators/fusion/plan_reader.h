// Grammar of plan text: lines into items, without a graph. See plan_text.h.
#pragma once

#include <string>
#include <vector>

#include "generators/fusion/plan.h"
#include "ops/base/result.h"

namespace frit {

/// A node or value as the text names it.
struct TextName {
  std::string name;
  int id = kNone;  ///< from "#12"; kNone: not given
};

struct TextStored {
  TextName value;
  std::string type;  ///< "f32[1,3,48,320]"
  SourcePlace place;
  bool stored = false;
  std::vector<int> axes;  ///< outermost first, as printed
  std::vector<std::int64_t> extents, low, high;
  double fill = 0.0;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  TextName base;  ///< name empty: its own buffer
};

struct TextNode {
  TextName node;
  std::string type;
  SourcePlace place;
  bool anchor = false;
};

struct TextGroup {
  SourcePlace place;
  bool alias = false;
  std::string anchor;
  std::vector<TextNode> nodes;
  std::vector<TextStored> outputs;
};

struct TextPlan {
  std::vector<TextStored> inputs;
  std::vector<TextGroup> groups;
};

/// All grammar faults at once, code "plan-text".
tl::expected<TextPlan, Diagnostics> read_plan_text(const std::string& text,
                                                   const std::string& file);

}  // namespace frit
