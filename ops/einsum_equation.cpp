#include "ops/einsum_equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ops/rules.h"

namespace frit {
namespace {

constexpr int kEllipsis = 256;  ///< label of the outermost axis of the longest ellipsis

/// One comma-separated term: letters before and after the ellipsis.
struct Term {
  std::string before, after;
  bool ellipsis = false;
  std::size_t letters() const { return before.size() + after.size(); }
};

class Parser {
 public:
  explicit Parser(const OpInstance& op) : op_(op) {
    for (const char c : string_attribute(op.attributes, "equation", "")) {
      if (c != ' ') text_ += c;
    }
  }

  Result<EinsumEquation> run() {
    const std::size_t arrow = text_.find("->");
    FRIT_TRY(read_operands(text_.substr(0, arrow)));
    FRIT_TRY(arrow == std::string::npos ? imply_result() : read_result(text_.substr(arrow + 2)));
    return std::move(equation_);
  }

 private:
  tl::unexpected<Diagnostic> bad(const std::string& why) const {
    return fail("onnx-attribute", fmt::format("{}: equation \"{}\" {}; correct the attribute",
                                              label(op_), text_, why));
  }

  Result<Term> term_of(const std::string& text) const {
    Term term;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text.compare(i, 3, "...") == 0 && !term.ellipsis) {
        term.ellipsis = true;
        i += 2;
      } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
        (term.ellipsis ? term.after : term.before) += text[i];
      } else {
        return bad(fmt::format("has '{}' where a letter or one \"...\" is expected; correct the equation", text[i]));
      }
    }
    return term;
  }

  Status read_operands(const std::string& text) {
    std::vector<Term> terms;
    for (std::size_t begin = 0;;) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      auto term = term_of(text.substr(begin, comma - begin));
      if (!term) return fail(std::move(term).error());
      terms.push_back(*std::move(term));
      if (comma == text.size()) break;
      begin = comma + 1;
    }
    if (terms.size() != op_.inputs.size()) {
      return bad(fmt::format("names {} operands but the node has {} inputs; name each once", terms.size(),
                             op_.inputs.size()));
    }
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto rank = static_cast<std::size_t>(op_.input(i).rank());
      const std::size_t letters = terms[i].letters();
      if (terms[i].ellipsis ? letters > rank : letters != rank) {
        return fail("onnx-shape",
                    fmt::format("{}: term {} of \"{}\" has {} letters but input {} is {}; correct "
                                "the equation",
                                label(op_), i, text_, letters, i, to_text(op_.input(i))));
      }
      hidden.push_back(rank - letters);
      most_hidden_ = std::max(most_hidden_, hidden.back());
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
      equation_.operands.push_back(labels_of(terms[i], hidden[i]));
      FRIT_TRY(take_extents(i));
    }
    return {};
  }

  EinsumLabels labels_of(const Term& term, std::size_t hidden) const {
    EinsumLabels labels(term.before.begin(), term.before.end());
    for (std::size_t i = 0; i < hidden; ++i) {
      labels.push_back(kEllipsis + static_cast<int>(most_hidden_ - hidden + i));
    }
    labels.insert(labels.end(), term.after.begin(), term.after.end());
    return labels;
  }

  static std::string name_of_label(int of) {
    return of < kEllipsis ? fmt::format("'{}'", static_cast<char>(of)) : "an axis of \"...\"";
  }

  Status take_extents(std::size_t i) {
    const std::vector<std::int64_t> dims = op_.input(i).dims();
    const EinsumLabels& labels = equation_.operands[i];
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      const auto first = std::find(labels.begin(), labels.end(), labels[axis]);
      const std::int64_t own = dims[static_cast<std::size_t>(first - labels.begin())];
      const auto [at, added] = equation_.extents.emplace(labels[axis], dims[axis]);
      if (own == dims[axis] && (added || at->second == own || own == 1)) continue;
      if (own == dims[axis] && at->second == 1) {
        at->second = own;
        continue;
      }
      return fail("onnx-shape",
                  fmt::format("{}: {} of \"{}\" is {} but axis {} of input {} is {}; correct the "
                              "model or pass --shape",
                              label(op_), name_of_label(labels[axis]), text_,
                              own == dims[axis] ? at->second : own, axis, i, dims[axis]));
    }
    return {};
  }

  Status imply_result() {
    std::map<int, int> uses;
    for (const EinsumLabels& labels : equation_.operands) {
      for (const int one : labels) ++uses[one];
    }
    for (const auto& [one, count] : uses) {
      if (one >= kEllipsis) equation_.result.push_back(one);
    }
    for (const auto& [one, count] : uses) {
      if (one < kEllipsis && count == 1) equation_.result.push_back(one);
    }
    return {};
  }

  Status read_result(const std::string& text) {
    auto term = term_of(text);
    if (!term) return fail(std::move(term).error());
    if (!term->ellipsis && most_hidden_ > 0) {
      return bad(
          "has \"...\" among its operands but not in its result, and sums no axes without a "
          "letter; write \"...\" in the result");
    }
    equation_.result = labels_of(*term, term->ellipsis ? most_hidden_ : 0);
    for (std::size_t i = 0; i < equation_.result.size(); ++i) {
      const int one = equation_.result[i];
      if (!equation_.extents.count(one)) {
        return bad(fmt::format("has {} in its result but in no operand; correct the result", name_of_label(one)));
      }
      if (std::count(equation_.result.begin(), equation_.result.end(), one) > 1) {
        return bad(fmt::format("has {} twice in its result; name it once", name_of_label(one)));
      }
    }
    return {};
  }

  const OpInstance& op_;
  std::string text_;
  std::size_t most_hidden_ = 0;
  EinsumEquation equation_;
};

}  // namespace

Result<EinsumEquation> einsum_equation_of(const OpInstance& op) { return Parser(op).run(); }

}  // namespace frit
