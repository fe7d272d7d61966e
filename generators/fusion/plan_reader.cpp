#include "generators/fusion/plan_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace frit {
namespace {

/// One line, read from left to right. The first fault stays.
class Line {
 public:
  Line(std::string text, SourcePlace place) : text_(std::move(text)), place_(std::move(place)) {}

  bool ok() const { return !fault_; }
  const Diagnostic& fault() const { return *fault_; }
  SourcePlace place() const {
    std::size_t at = at_;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    SourcePlace here = place_;
    here.column = static_cast<int>(at) + 1;
    return here;
  }
  void fail(const std::string& wanted) {
    if (fault_) return;
    const std::string found = at_ < text_.size() ? "'" + peek_word() + "'" : "the end of the line";
    fault_ = error(
        "plan-text",
        fmt::format("expected {} but found {}; write the line as frit plan does", wanted, found));
    fault_->place = place();
  }

  bool at_end() {
    skip();
    return at_ >= text_.size() || text_[at_] == '#';
  }
  void end() {
    if (ok() && !at_end()) fail("the end of the line");
  }

  std::string peek_word() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != '\t') ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(const std::string& word) {
    if (!ok() || peek_word() != word) return false;
    at_ += word.size();
    return true;
  }
  std::string word(const std::string& what) {
    const std::string found = at_end() ? "" : peek_word();
    if (found.empty()) fail(what);
    if (ok()) at_ += found.size();
    return found;
  }

  std::int64_t integer(const std::string& what) {
    skip();
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), value);
    if (code != std::errc()) {
      fail(what);
      return 0;
    }
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }
  bool take_char(char c) {
    if (!ok() || at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect_char(char c) {
    if (ok() && !take_char(c)) fail(fmt::format("'{}'", c));
  }

  double real(const std::string& what) {
    const std::string found = word(what);
    char* end = nullptr;
    const double value = std::strtod(found.c_str(), &end);
    if (end == found.c_str() || *end != '\0') fail(what);
    return value;
  }

  std::string quoted(const std::string& what) {
    skip();
    std::string value;
    if (!take_char('"')) {
      fail(what + " in quotes");
      return value;
    }
    while (ok() && at_ < text_.size() && text_[at_] != '"') {
      if (!take_char('\\')) {
        value += text_[at_++];
      } else if (take_char('x')) {
        value += hex_byte();
      } else if (at_ < text_.size()) {
        value += text_[at_++];
      }
    }
    expect_char('"');
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char hex_byte() {
    unsigned code = 0;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + std::min(at_ + 2, text_.size());
    const auto [end, error] = std::from_chars(first, last, code, 16);
    if (error != std::errc() || end != first + 2) {
      fail("two hexadecimal digits");
      return ' ';
    }
    at_ += 2;
    return static_cast<char>(code);
  }

  std::string text_;
  SourcePlace place_;
  std::size_t at_ = 0;
  std::optional<Diagnostic> fault_;
};

TextName read_name(Line& line, const std::string& what) {
  TextName name;
  name.name = line.quoted(what);
  if (line.take_word("id")) name.id = static_cast<int>(line.integer("a number after id"));
  return name;
}

std::vector<std::int64_t> read_list(Line& line, const std::string& what) {
  std::vector<std::int64_t> values;
  if (line.peek_word().substr(0, 1) != "[") {
    line.fail(what);
    return values;
  }
  line.expect_char('[');
  if (line.take_char(']')) return values;
  do {
    values.push_back(line.integer("a number"));
  } while (line.ok() && line.take_char(','));
  line.expect_char(']');
  return values;
}

/// axis:extent(+low+high)
void read_axis(Line& line, TextStored& stored) {
  stored.axes.push_back(static_cast<int>(line.integer("an axis")));
  line.expect_char(':');
  stored.extents.push_back(line.integer("an extent"));
  stored.low.push_back(0);
  stored.high.push_back(0);
  if (!line.take_char('(')) return;
  line.expect_char('+');
  stored.low.back() = line.integer("elements of the lower border");
  line.expect_char('+');
  stored.high.back() = line.integer("elements of the upper border");
  line.expect_char(')');
}

TextStored read_stored(Line& line) {
  TextStored stored;
  stored.place = line.place();
  stored.value = read_name(line, "a value's name");
  if (line.ok()) stored.type = line.word("a type");
  if (!line.take_word("stored")) return stored;
  stored.stored = true;
  if (!line.take_word("scalar")) {
    while (line.ok() && !line.at_end()) {
      const std::string next = line.peek_word();
      if (next == "fill" || next == "strides" || next == "in") break;
      read_axis(line, stored);
    }
  }
  if (line.take_word("fill")) stored.fill = line.real("the fill of the border");
  if (line.take_word("strides")) {
    stored.strides = read_list(line, "a list of strides");
    if (!line.take_word("offset")) line.fail("'offset' after the strides");
    stored.offset = line.integer("an offset in elements");
  }
  if (line.take_word("in")) {
    stored.base = read_name(line, "the name of the value that owns the buffer");
  }
  return stored;
}

TextGroup read_group(Line& line) {
  TextGroup group;
  group.place = line.place();
  line.integer("the group's number");
  const std::string kind = line.word("'kernel' or 'alias'");
  if (line.ok() && kind != "kernel" && kind != "alias") line.fail("'kernel' or 'alias'");
  group.alias = kind == "alias";
  group.anchor = line.word("the kind of anchor");
  return group;
}

TextNode read_node(Line& line) {
  TextNode node;
  node.place = line.place();
  node.node = read_name(line, "a node's name");
  node.type = line.word("the node's type");
  node.anchor = line.take_word("anchor");
  return node;
}

void read_line(Line& line, TextPlan& plan) {
  if (line.take_word("in")) {
    plan.inputs.push_back(read_stored(line));
  } else if (line.take_word("group")) {
    plan.groups.push_back(read_group(line));
  } else if (plan.groups.empty()) {
    line.fail("'in' or 'group'");
  } else if (line.take_word("node")) {
    plan.groups.back().nodes.push_back(read_node(line));
  } else if (line.take_word("out")) {
    plan.groups.back().outputs.push_back(read_stored(line));
  } else {
    line.fail("'in', 'group', 'node' or 'out'");
  }
}

}  // namespace

tl::expected<TextPlan, Diagnostics> read_plan_text(const std::string& text,
                                                   const std::string& file) {
  TextPlan plan;
  Diagnostics faults;
  std::istringstream stream(text);
  std::string one;
  bool headed = false;
  for (int number = 1; std::getline(stream, one); ++number) {
    Line line(one, SourcePlace{file, number, 1, 1, one});
    if (line.at_end()) continue;
    if (!headed) {
      if (!line.take_word("plan")) line.fail("'plan 1', the format version,");
      if (line.ok() && line.integer("a format version") != 1) {
        faults.push_back(error("plan-text",
                               "this frit reads plan format 1 but the file says "
                               "otherwise; print it anew with 'frit plan -o'"));
        return tl::unexpected(faults);
      }
      headed = true;
    } else {
      read_line(line, plan);
    }
    line.end();
    if (!line.ok()) faults.push_back(line.fault());
    if (!line.ok() && number == 1) break;
  }
  if (!headed)
    faults.push_back(error(
        "plan-text", "the file is empty but a plan starts 'plan 1'; make it with frit plan -o"));
  if (!faults.empty()) return tl::unexpected(faults);
  return plan;
}

}  // namespace frit
