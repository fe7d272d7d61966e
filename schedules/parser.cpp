// parse_schedule: line by line; every line is tried, so that all faults come at once.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "schedules/expression_parser.h"
#include "schedules/schedule.h"
#include "schedules/spelling.h"

namespace frit {
namespace {

// What a line may begin with, beside the name of a stage.
const std::vector<std::string_view> kKeywords = {"schedule", "for",        "priority", "param",
                                                 "let",      "pack",       "minimise", "when",
                                                 "if",       "constraint", "else",     "end"};

constexpr std::size_t kMaxFileBytes = 1 << 20;
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::size_t kMaxDiagnostics = 50;
constexpr std::size_t kMaxIfDepth = 32;

using Kind = ScheduleItem::Kind;

class Parser {
 public:
  explicit Parser(ScheduleAst& ast) : ast_(ast) {}

  Diagnostics run() {
    for (std::size_t i = 0; i < ast_.lines.size() && faults_.size() < kMaxDiagnostics; ++i) {
      line(static_cast<int>(i) + 1, ast_.lines[i]);
    }
    finish();
    return std::move(faults_);
  }

 private:
  void report(const Span& span, const std::string& message,
              const std::string& code = "sched-syntax") {
    faults_.push_back(error_at(ast_, span, code, message));
  }

  std::vector<ScheduleItem>& sink() {
    std::vector<ScheduleItem>* items = &ast_.items;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      items = &items->back().block.branches.back().items;
    }
    return *items;
  }

  void line(int number, const std::string& text) {
    if (text.size() > kMaxLineBytes) {
      report({number, 1, 1},
             fmt::format("the line has {} bytes; at most {} are read", text.size(), kMaxLineBytes));
      ast_.lines[static_cast<std::size_t>(number) - 1].clear();
      return;
    }
    const LexedLine lexed = lex_line(text, number);
    if (lexed.tokens.size() == 1) {
      ScheduleItem item;
      item.kind = lexed.has_comment ? Kind::kComment : Kind::kBlank;
      item.comment = lexed.comment;
      item.span = lexed.tokens.front().span;
      sink().push_back(std::move(item));
      return;
    }
    TokenReader reader(ast_, lexed.tokens);
    statement(reader, lexed);
    if (!reader.failed() && !reader.at_end()) {
      const std::string hint = reader.is_symbol(";") ? "; lines have no ';'" : "";
      reader.fail_at(reader.peek().span,
                     "expected the end of the line, found " + shown(reader.peek()) + hint);
    }
    if (reader.failed()) faults_.push_back(reader.fault());
  }

  void statement(TokenReader& reader, const LexedLine& lexed) {
    const Token first = reader.peek();
    if (first.kind == Token::Kind::kName) {
      if (first.text == "if") return if_line(reader, lexed);
      if (first.text == "else") return else_line(reader, lexed);
      if (first.text == "end") return end_line(reader, lexed);
    }
    ScheduleItem item;
    item.span = first.span;
    item.comment = lexed.comment;
    if (!version_seen_ && !(first.kind == Token::Kind::kName && first.text == "schedule")) {
      report(first.span, "the first line must be 'schedule 1'");
      version_seen_ = true;
    }
    if (first.kind == Token::Kind::kName && header(reader, item)) {
      if (!open_.empty() && item.kind != Kind::kPack) {
        report(first.span, fmt::format("'{}' cannot stand inside 'if'", first.text));
      }
    } else if (!reader.failed()) {
      item.kind = Kind::kDirective;
      directive(reader, item.directive);
    }
    if (!reader.failed()) sink().push_back(std::move(item));
  }

  // Lines that begin with a keyword; false when it is none.
  bool header(TokenReader& reader, ScheduleItem& item) {
    const std::string keyword = reader.peek().text;
    const Token& after = reader.peek(1);
    if (after.kind == Token::Kind::kSymbol && (after.text == "." || after.text == "="))
      return false;
    if (keyword == "schedule") return version(reader, item), true;
    if (keyword == "for") return anchors(reader, item), true;
    if (keyword == "priority") return priority(reader, item), true;
    if (keyword == "param" || keyword == "let") return definition(reader, item), true;
    if (keyword == "pack") return pack(reader, item), true;
    if (keyword == "minimise") return minimise(reader, item), true;
    if (keyword == "when" || keyword == "constraint") {
      reader.take();
      item.kind = keyword == "when" ? Kind::kWhen : Kind::kConstraint;
      item.value = parse_expression(reader);
      return true;
    }
    return false;
  }

  void version(TokenReader& reader, ScheduleItem& item) {
    reader.take();
    item.kind = Kind::kVersion;
    item.value = parse_primary(reader);
    if (reader.failed()) return;
    if (version_seen_)
      reader.fail_at(item.span, "'schedule' stands once, on the first line; remove this line");
    version_seen_ = true;
    if (item.value.kind != Expression::Kind::kNumber || item.value.number != 1) {
      reader.fail_at(
          item.value.span,
          fmt::format("format {} is not known; this frit reads format 1", to_text_of(item.value)));
    }
  }

  static std::string to_text_of(const Expression& e) {
    return e.kind == Expression::Kind::kNumber ? std::to_string(e.number) : e.text;
  }

  void anchors(TokenReader& reader, ScheduleItem& item) {
    reader.take();
    item.kind = Kind::kFor;
    do {
      item.names.push_back(reader.expect_name("the kind of an anchor (conv2d, softmax …)"));
    } while (!reader.failed() && reader.accept(","));
    if (!ast_.anchors.empty()) reader.fail_at(item.span, "'for' stands once; list kinds with ','");
    ast_.anchors = item.names;
  }

  void priority(TokenReader& reader, ScheduleItem& item) {
    reader.take();
    item.kind = Kind::kPriority;
    item.value = parse_primary(reader);
    if (!reader.failed() && item.value.kind != Expression::Kind::kNumber) {
      reader.fail_at(item.value.span, "priority wants a number; write priority 10");
    }
    ast_.priority = item.value.number;
  }

  void definition(TokenReader& reader, ScheduleItem& item) {
    item.kind = reader.take().text == "param" ? Kind::kParam : Kind::kLet;
    Span span;
    item.name = reader.expect_name("a name", &span);
    if (reader.failed()) return;
    if (std::find(defined_.begin(), defined_.end(), item.name) != defined_.end()) {
      reader.fail_at(span, fmt::format("'{}' is defined twice; rename one", item.name),
                     "sched-name");
    }
    defined_.push_back(item.name);
    item.span = span;
    if (!reader.expect("=", "after the name")) return;
    item.value = parse_expression(reader);
    if (item.kind != Kind::kParam || reader.failed() || !reader.accept("in")) return;
    if (!reader.expect("{", "after 'in'")) return;
    do {
      item.choices.push_back(parse_expression(reader));
    } while (!reader.failed() && reader.accept(","));
    reader.expect("}", "after the values");
  }

  void minimise(TokenReader& reader, ScheduleItem& item) {
    item.span = reader.take().span;
    item.kind = Kind::kMinimise;
    if (minimise_seen_) reader.fail_at(item.span, "'minimise' stands once; remove this line");
    minimise_seen_ = true;
    item.value = parse_expression(reader);
  }

  void pack(TokenReader& reader, ScheduleItem& item) {
    reader.take();
    item.kind = Kind::kPack;
    item.pack.role = reader.expect_name("the role of a constant (w, b …)", &item.pack.role_span);
    if (!reader.failed()) reader.expect("(", "before the dimensions");
    while (!reader.failed()) {
      PackLine::Dim dim;
      dim.axis = reader.expect_name("an axis of the constant", &dim.span);
      if (!reader.failed() && reader.accept("/")) dim.divisor = parse_primary(reader);
      if (!reader.failed() && reader.accept("%")) dim.modulus = parse_primary(reader);
      item.pack.dims.push_back(std::move(dim));
      if (reader.failed() || reader.accept(")")) break;
      reader.expect(",",
                    "or ')' after a dimension (axis, axis % m, axis / d, axis / d % m; m and d "
                    "are numbers, names or in parentheses)");
    }
  }

  void directive(TokenReader& reader, DirectiveLine& line) {
    const Token& second = reader.peek(1);
    if (reader.is_name("optional") && second.kind == Token::Kind::kName) {
      reader.take();
      line.optional = true;
    }
    line.subject = reader.expect_name("a stage or a keyword", &line.subject_span);
    if (reader.failed()) return;
    if (reader.accept("=")) {
      line.defines = std::exchange(line.subject, "");
      line.defines_span = std::exchange(line.subject_span, Span{});
      line.subject = reader.expect_name("a stage after '='", &line.subject_span);
      if (reader.failed()) return;
    }
    if (reader.is_symbol("*")) {
      line.wildcard = true;
      line.subject_span.length += 1;
      reader.take();
    }
    if (!reader.is_symbol(".")) {
      const std::string keyword = nearest_word(line.subject, kKeywords);
      reader.fail_at(reader.peek().span,
                     fmt::format("expected '.' and a directive after the stage '{}', found {}{}",
                                 line.subject, shown(reader.peek()),
                                 keyword.empty() ? "" : "; did you mean '" + keyword + "'?"));
    }
    while (!reader.failed() && reader.accept(".")) line.calls.push_back(call(reader));
  }

  DirectiveLine::Call call(TokenReader& reader) {
    DirectiveLine::Call call;
    call.name = reader.expect_name("a directive after '.'", &call.span);
    if (reader.failed() || !reader.accept("(")) return call;
    while (!reader.failed() && !reader.is_symbol(")")) {
      call.arguments.push_back(parse_argument(reader));
      if (!reader.is_symbol(")")) reader.expect(",", "or ')' after an argument");
    }
    reader.accept(")");
    return call;
  }

  void if_line(TokenReader& reader, const LexedLine& lexed) {
    const Span span = reader.take().span;
    if (!version_seen_) report(span, "the first line must be 'schedule 1'");
    version_seen_ = true;
    if (open_.size() >= kMaxIfDepth) {
      reader.fail_at(span, fmt::format("'if' is nested deeper than {}; join conditions with and",
                                       kMaxIfDepth));
      return;
    }
    ScheduleItem item;
    item.kind = Kind::kIf;
    item.span = span;
    item.block.branches.emplace_back();
    item.block.branches.back().condition = parse_expression(reader);
    item.block.branches.back().comment = lexed.comment;
    sink().push_back(std::move(item));
    open_.push_back(span);
  }

  void else_line(TokenReader& reader, const LexedLine& lexed) {
    const Span span = reader.take().span;
    IfBlock* block = open_block();
    if (block == nullptr || !block->branches.back().condition) {
      reader.fail_at(span, "'else' without an 'if' above it; remove it");
      return;
    }
    IfBlock::Branch branch;
    branch.comment = lexed.comment;
    if (reader.accept("if")) branch.condition = parse_expression(reader);
    block->branches.push_back(std::move(branch));
  }

  void end_line(TokenReader& reader, const LexedLine& lexed) {
    const Span span = reader.take().span;
    if (open_.empty()) {
      reader.fail_at(span, "'end' without an 'if' above it; remove it");
      return;
    }
    open_.pop_back();
    sink().back().comment = lexed.comment;
  }

  IfBlock* open_block() {
    if (open_.empty()) return nullptr;
    std::vector<ScheduleItem>* items = &ast_.items;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      items = &items->back().block.branches.back().items;
    }
    return &items->back().block;
  }

  void finish() {
    for (const Span& span : open_) report(span, "'if' without an 'end'");
    if (!version_seen_) report({0, 0, 1}, "the file is empty; its first line must be 'schedule 1'");
    if (faults_.size() > kMaxDiagnostics) faults_.resize(kMaxDiagnostics);
    if (ast_.anchors.empty() && faults_.empty()) {
      report({1, 1, 1},
             "no 'for' line: say which kind of group the file is for, e.g. 'for conv2d'");
    }
  }

  ScheduleAst& ast_;
  Diagnostics faults_;
  std::vector<Span> open_;  // the `if`s that stand open
  std::vector<std::string> defined_;
  bool version_seen_ = false, minimise_seen_ = false;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

tl::expected<Schedule, Diagnostics> parse_schedule(const std::string& text,
                                                   const std::string& file) {
  auto ast = std::make_shared<ScheduleAst>();
  ast->file = file;
  if (text.size() > kMaxFileBytes) {
    return tl::unexpected<Diagnostics>(Diagnostics{error_at(
        *ast, {}, "sched-syntax",
        fmt::format("the file has {} bytes; at most {} are read", text.size(), kMaxFileBytes))});
  }
  ast->lines = lines_of(text);
  Diagnostics faults = Parser(*ast).run();
  if (!faults.empty()) return tl::unexpected<Diagnostics>(std::move(faults));
  return Schedule{file, std::move(ast)};
}

}  // namespace frit
