// print_schedule: the normal form. Comments and order are kept; spacing and parentheses are ours.
#include <fmt/format.h>

#include "schedules/expression.h"
#include "schedules/schedule.h"

namespace frit {
namespace {

using Kind = ScheduleItem::Kind;

std::string joined(const std::vector<Expression>& list) {
  std::string text;
  for (const Expression& e : list) text += (text.empty() ? "" : ", ") + to_text(e);
  return text;
}

std::string pack_text(const PackLine& pack) {
  std::string dims;
  for (const PackLine::Dim& dim : pack.dims) {
    dims += (dims.empty() ? "" : ", ") + dim.axis;
    if (dim.divisor) dims += " / " + to_operand_text(*dim.divisor);
    if (dim.modulus) dims += " % " + to_operand_text(*dim.modulus);
  }
  return fmt::format("pack {} ({})", pack.role, dims);
}

std::string directive_text(const DirectiveLine& line) {
  std::string text = line.optional ? "optional " : "";
  if (!line.defines.empty()) text += line.defines + " = ";
  text += line.subject + (line.wildcard ? "*" : "");
  for (const DirectiveLine::Call& call : line.calls) {
    text += "." + call.name + "(" + joined(call.arguments) + ")";
  }
  return text;
}

std::string item_text(const ScheduleItem& item) {
  switch (item.kind) {
    case Kind::kVersion:
      return "schedule " + to_text(item.value);
    case Kind::kFor:
      return fmt::format("for {}", fmt::join(item.names, ", "));
    case Kind::kPriority:
      return "priority " + to_text(item.value);
    case Kind::kWhen:
      return "when " + to_text(item.value);
    case Kind::kLet:
      return fmt::format("let {} = {}", item.name, to_text(item.value));
    case Kind::kConstraint:
      return "constraint " + to_text(item.value);
    case Kind::kMinimise:
      return "minimise " + to_text(item.value);
    case Kind::kPack:
      return pack_text(item.pack);
    case Kind::kDirective:
      return directive_text(item.directive);
    case Kind::kParam: {
      std::string text = fmt::format("param {} = {}", item.name, to_text(item.value));
      if (!item.choices.empty()) text += " in {" + joined(item.choices) + "}";
      return text;
    }
    default:
      return "";
  }
}

class Printer {
 public:
  void items(const std::vector<ScheduleItem>& list, int depth) {
    for (const ScheduleItem& item : list) {
      if (item.kind == Kind::kBlank) {
        blank_pending_ = !text_.empty();
      } else if (item.kind == Kind::kComment) {
        line(depth, "", item.comment, true);
      } else if (item.kind == Kind::kIf) {
        block(item, depth);
      } else {
        line(depth, item_text(item), item.comment, !item.comment.empty());
      }
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void block(const ScheduleItem& item, int depth) {
    bool first = true;
    for (const IfBlock::Branch& branch : item.block.branches) {
      std::string head = first ? "if" : branch.condition ? "else if" : "else";
      if (branch.condition) head += " " + to_text(*branch.condition);
      line(depth, head, branch.comment, !branch.comment.empty());
      items(branch.items, depth + 1);
      first = false;
    }
    line(depth, "end", item.comment, !item.comment.empty());
  }

  void line(int depth, const std::string& code, const std::string& comment, bool has_comment) {
    if (blank_pending_) text_ += "\n";
    blank_pending_ = false;
    text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + code;
    if (has_comment) {
      text_ += code.empty() ? "#" : "  #";
      if (!comment.empty()) text_ += " " + comment;
    }
    text_ += "\n";
  }

  std::string text_;
  bool blank_pending_ = false;
};

}  // namespace

std::string params_text(const Schedule& schedule, const Facts& bound) {
  std::string text;
  for (const ScheduleItem& item : schedule.ast->items) {
    if (item.kind != Kind::kParam) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", item.name, bound.at(item.name));
  }
  return text;
}

std::string print_schedule(const Schedule& schedule) {
  Printer printer;
  printer.items(schedule.ast->items, 0);
  return printer.take();
}

}  // namespace frit
