// Einsum, as one sum of products of all operands for each element of the result.
//
// Error model: as of a chain of contractions, each of at most n terms: the product of k factors
// rounds k-1 times and each step's sum errs by 4*eps*sqrt(n)*S.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

// Letters of one term; axes of its ellipsis are digits-like codes from 128 on, counted from the
// right.
struct Equation {
  std::vector<std::vector<int>> terms;
  std::vector<int> result;
  std::map<int, std::int64_t> extents;
};

std::vector<std::string> split_terms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}

// `hidden`: axes that the ellipsis stands for.
std::vector<int> labels_of(const std::string& term, std::int64_t hidden) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] != '.') {
      labels.push_back(term[i]);
      continue;
    }
    for (std::int64_t h = hidden; h > 0; --h) labels.push_back(127 + static_cast<int>(h));
    i += 2;
  }
  return labels;
}

Result<Equation> equation_of(const Call& call) {
  std::string text = string_attribute(call.op.attributes, "equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = split_terms(text.substr(0, arrow));
  if (terms.size() != call.inputs.size()) return call.refuse("its equation \"" + text + "\"");
  Equation equation;
  std::int64_t most_hidden = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto dots = std::count(terms[i].begin(), terms[i].end(), '.');
    const auto rank = static_cast<std::int64_t>(call.in(i).dims.size());
    const std::int64_t hidden = rank - (static_cast<std::int64_t>(terms[i].size()) - dots);
    if (hidden < 0 || (dots == 0 && hidden != 0) || (dots != 0 && dots != 3)) {
      return call.refuse("its equation \"" + text + "\"");
    }
    most_hidden = std::max(most_hidden, hidden);
    equation.terms.push_back(labels_of(terms[i], hidden));
    for (std::size_t axis = 0; axis < call.in(i).dims.size(); ++axis) {
      std::int64_t& extent = equation.extents.try_emplace(equation.terms[i][axis], 1).first->second;
      if (extent == 1) extent = call.in(i).dims[axis];
    }
  }
  if (arrow != std::string::npos) {
    equation.result = labels_of(text.substr(arrow + 2), most_hidden);
  } else {
    for (std::int64_t h = most_hidden; h > 0; --h)
      equation.result.push_back(127 + static_cast<int>(h));
    for (const auto& [letter, extent] : equation.extents) {
      if (letter < 128 && std::count(text.begin(), text.end(), static_cast<char>(letter)) == 1)
        equation.result.push_back(letter);
    }
  }
  for (const int letter : equation.result) {
    if (!equation.extents.count(letter)) return call.refuse("its equation \"" + text + "\"");
  }
  return equation;
}

// Offset of a term's element per step of `order`: a repeated label adds up to the diagonal.
Dims strides_along(const RefTensor& x, const std::vector<int>& labels,
                   const std::vector<int>& order) {
  const Dims own = dense_strides(x.dims);
  Dims strides(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      if (labels[axis] == order[i] && x.dims[axis] != 1) strides[i] += own[axis];
    }
  }
  return strides;
}

// Whether a common factor may be taken out of a sum: of three operands and more, or where an axis
// of one operand alone is summed over.
bool distributes(const Equation& equation) {
  if (equation.terms.size() > 2) return true;
  if (equation.terms.size() < 2) return false;
  const auto has = [](const std::vector<int>& labels, int letter) {
    return std::find(labels.begin(), labels.end(), letter) != labels.end();
  };
  for (const auto& [letter, extent] : equation.extents) {
    const bool in_both = has(equation.terms[0], letter) && has(equation.terms[1], letter);
    if (!in_both && !has(equation.result, letter)) return true;
  }
  return false;
}

bool sums_nothing(const Equation& equation) {
  return std::any_of(equation.extents.begin(), equation.extents.end(),
                     [](const auto& axis) { return axis.second == 0; });
}

bool all_finite(const Call& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const std::vector<double>& values = call.in(i).real;
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      return false;
    }
  }
  return true;
}

// One product of all operands.
struct Product {
  double value = 1.0, size = 1.0, most = 1.0;  ///< most: of absolute values with their bounds
  float narrow = 1.0F;
  std::uint64_t integer = 1;
};

Outputs einsum(const Call& call) {
  const Result<Equation> read = equation_of(call);
  if (!read) return tl::unexpected<Diagnostic>(read.error());
  const Equation& equation = *read;
  std::vector<int> order = equation.result;
  Dims dims, all;
  for (const int letter : equation.result) dims.push_back(equation.extents.at(letter));
  for (const auto& [letter, extent] : equation.extents) {
    if (std::find(order.begin(), order.end(), letter) == order.end()) order.push_back(letter);
  }
  for (const int letter : order) all.push_back(equation.extents.at(letter));
  if (!count_of(all)) return call.refuse("sums over too many elements");
  Result<RefTensor> y = make(call, call.in(0).dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const bool real = is_float(y->dtype);
  const std::size_t operands = call.inputs.size();
  std::vector<Dims> strides;
  for (std::size_t i = 0; i < operands; ++i) {
    FRIT_TRY(same_dtype(call, 0, i));
    strides.push_back(strides_along(call.in(i), equation.terms[i], order));
  }
  const std::int64_t terms = std::max<std::int64_t>(
      1, *count_of(all) / std::max<std::int64_t>(1, count_of(dims).value_or(1)));
  const double factor = (sum_factor(terms) + 2.0 * kEps) * static_cast<double>(operands);
  if (real && call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::vector<float> narrow(call.naive() ? y->real.size() : 0, 0.0F);
  std::vector<std::uint64_t> whole(y->integer.size(), 0);
  const auto outputs = static_cast<std::size_t>(*count_of(dims));
  walk(all, std::array<Dims, 1>{dense_strides(all)},
       [&](std::size_t flat, const std::array<std::int64_t, 1>&) {
         const std::size_t to = flat / static_cast<std::size_t>(terms);
         if (to >= outputs) return;
         Product p;
         for (std::size_t i = 0; i < operands; ++i) {
           std::int64_t rest = static_cast<std::int64_t>(flat), at = 0;
           for (std::size_t axis = all.size(); axis-- > 0;) {
             at += rest % all[axis] * strides[i][axis];
             rest /= all[axis];
           }
           const RefTensor& x = call.in(i);
           const auto from = static_cast<std::size_t>(at);
           if (!real) {
             p.integer *= static_cast<std::uint64_t>(x.integer[from]);
             continue;
           }
           p.value *= x.real[from];
           p.size *= std::fabs(x.real[from]);
           p.most *= std::fabs(x.real[from]) + bound_at(x, from);
           p.narrow *= static_cast<float>(x.real[from]);
         }
         if (!real) {
           whole[to] += p.integer;
           return;
         }
         y->real[to] += p.value;
         if (call.naive()) narrow[to] += p.narrow;
         if (call.bounded()) y->bound[to] += p.most - p.size + factor * p.most;
       });
  if (distributes(equation)) {  // whether (1 - 1) inf or inf - inf, and so on, is left open
    if (sums_nothing(equation) && !all_finite(call)) y->bound.assign(y->bound.size(), kDoubtful);
    for (std::size_t i = 0; i < y->bound.size(); ++i) {
      if (!std::isfinite(y->real[i])) y->bound[i] = kDoubtful;
    }
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    y->integer[i] = wrapped(y->dtype, static_cast<std::int64_t>(whole[i]));
  }
  if (call.naive() && real) y->real.assign(narrow.begin(), narrow.end());
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"Einsum", 1, 1 << 8, einsum}};

}  // namespace

std::span<const Entry> einsum_entries() { return kEntries; }

}  // namespace frit::ref
