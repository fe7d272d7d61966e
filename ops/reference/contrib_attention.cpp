// Attention, MultiHeadAttention and GroupQueryAttention of com.microsoft.
#include <algorithm>
#include <functional>
#include <limits>

#include "ops/reference/attention.h"
#include "ops/reference/tables.h"

namespace frit::ref {
namespace {

using Value = std::function<double(const Dims&)>;

RefTensor filled(DType dtype, const Dims& dims, const Value& value) {
  RefTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = dims;
  tensor.real.resize(static_cast<std::size_t>(count_of(dims).value_or(0)));
  Dims index(dims.size(), 0);
  for (double& element : tensor.real) {
    element = value(index);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return tensor;
}

double least_of(DType dtype) {
  return dtype == DType::kF16 ? -65504.0 : -static_cast<double>(std::numeric_limits<float>::max());
}

/// Whether `mask`, in any of its forms, lets query index[2] of sentence index[0] see key index[3].
bool unmasked(const RefTensor& mask, const Dims& index, const Dims& scores) {
  const auto at = [&](std::int64_t i) { return mask.integer[static_cast<std::size_t>(i)]; };
  if (mask.dims.size() == 1) {
    const bool before = index[3] < at(index[0]);
    return before && (mask.dims[0] == scores[0] || index[3] >= at(scores[0] + index[0]));
  }
  const std::int64_t row = mask.dims.size() == 2 ? index[0] : index[0] * scores[2] + index[2];
  return at(row * scores[3] + index[3]) > 0;
}

/// The rest of both, from heads on.
const RefTensor* attended(const Call& call, Steps& steps, const RefTensor* q, const RefTensor* k,
                          const RefTensor* v, const RefTensor* mask, const RefTensor* more) {
  const double stated = static_cast<double>(call.attr("scale", 0.0F));
  const double scale = stated != 0.0 ? stated : 1.0 / std::sqrt(static_cast<double>(q->dims.at(3)));
  const RefTensor* scores = scores_of(steps, q, k, scale);
  const Dims dims = scores->dims;
  if (dims.size() != 4) return scores;
  const RefTensor* bias = nullptr;
  const auto add = [&](const RefTensor* next) {
    bias = bias == nullptr ? next : steps.run("Add", {bias, next});
  };
  if (mask != nullptr) {
    const double hidden = static_cast<double>(call.attr("mask_filter_value", -10000.0F));
    add(steps.keep(filled(q->dtype, dims, [&](const Dims& index) {
      return unmasked(*mask, index, dims) ? 0.0 : rounded(q->dtype, hidden);
    })));
  }
  if (call.attr("unidirectional", std::int64_t{0}) != 0) {
    const std::int64_t past = call.op.type == "Attention" ? (call.has(4) ? call.in(4).dims[3] : 0)
                                                          : (call.has(6) ? call.in(6).dims[2] : 0);
    add(steps.keep(filled(q->dtype, dims, [&](const Dims& index) {
      return index[3] <= index[2] + past ? 0.0 : least_of(q->dtype);
    })));
  }
  if (more != nullptr) add(more);
  if (bias != nullptr) scores = steps.run("Add", {scores, bias});
  const RefTensor* weights = softmax_of(steps, scores, scores->dtype);
  return heads_joined(steps, steps.run("MatMul", {weights, v}));
}

const RefTensor* columns(Steps& steps, const RefTensor* x, std::int64_t first, std::int64_t count) {
  return steps.run("Slice",
                   {x, steps.ints({first}), steps.ints({first + count}), steps.ints({-1})});
}

const RefTensor* behind(Steps& steps, const RefTensor* past, const RefTensor* fresh) {
  if (past == nullptr) return fresh;
  return steps.run("Concat", {past, fresh}, {{"axis", std::int64_t{2}}});
}

Outputs multi_head_attention(const Call& call) {
  if (!call.has(1) || !call.has(2)) return call.refuse("packed inputs");
  Steps steps(call);
  const auto input = [&](std::size_t i) { return call.has(i) ? &call.in(i) : nullptr; };
  const std::int64_t heads = call.attr("num_heads", std::int64_t{1});
  const RefTensor *q = input(0), *k = input(1), *v = input(2);
  if (const RefTensor* bias = input(3)) {
    const std::int64_t width = q->dims.back();
    q = steps.run("Add", {q, columns(steps, bias, 0, width)});
    k = steps.run("Add", {k, columns(steps, bias, width, width)});
    v = steps.run("Add", {v, columns(steps, bias, 2 * width, v->dims.back())});
  }
  q = heads_of(steps, q, heads);
  k = behind(steps, input(6), heads_of(steps, k, heads));
  v = behind(steps, input(7), heads_of(steps, v, heads));
  if (q->dims.size() != 4) return steps.outputs({q});
  return steps.outputs({attended(call, steps, q, k, v, input(4), input(5)), k, v});
}

Outputs merged_attention(const Call& call) {
  Steps steps(call);
  const auto input = [&](std::size_t i) { return call.has(i) ? &call.in(i) : nullptr; };
  const std::int64_t heads = call.attr("num_heads", std::int64_t{1});
  const RefTensor* all = steps.run("MatMul", {input(0), input(1)});
  if (call.has(2)) all = steps.run("Add", {all, input(2)});
  if (all->dims.size() != 3) return steps.outputs({all});
  const std::int64_t width = all->dims[2];
  const Dims sizes =
      ints_attribute(call.op.attributes, "qkv_hidden_sizes", {width / 3, width / 3, width / 3});
  if (sizes.size() != 3) return call.refuse("qkv_hidden_sizes must be three");
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return heads_of(steps, columns(steps, all, first, count), heads);
  };
  const RefTensor* q = part(0, sizes[0]);
  const RefTensor* k = part(sizes[0], sizes[1]);
  const RefTensor* v = part(sizes[0] + sizes[1], sizes[2]);
  if (call.has(4)) {
    const AttributeMap outer = {{"axis", std::int64_t{0}}};
    const auto half = [&](std::int64_t i) {
      const RefTensor* which = steps.ints({i});
      const RefTensor* one = steps.run("Gather", {input(4), which}, outer);
      return steps.run("Squeeze", {one, steps.ints({0})});
    };
    k = behind(steps, half(0), k);
    v = behind(steps, half(1), v);
  }
  if (q->dims.size() != 4) return steps.outputs({q});
  std::vector<const RefTensor*> results = {attended(call, steps, q, k, v, input(3), input(5))};
  if (sizes[0] == sizes[2]) {
    const auto apart = [&](const RefTensor* x) {
      return steps.run("Unsqueeze", {x, steps.ints({0})});
    };
    results.push_back(steps.run("Concat", {apart(k), apart(v)}, {{"axis", std::int64_t{0}}}));
  }
  return steps.outputs(results);
}

/// One GroupQueryAttention, sentence by sentence where it matters.
class GroupQuery {
 public:
  GroupQuery(const Call& call, Steps& steps) : call_(call), steps_(steps) {
    groups_ = call.attr("kv_num_heads", std::int64_t{1});
    heads_ = call.attr("num_heads", std::int64_t{1});
    total_ = call.in(6).integer.at(0);
  }

  std::vector<const RefTensor*> run() {
    const RefTensor *q = input(0), *k = input(1), *v = input(2);
    if (k == nullptr) {
      const std::int64_t size = q->dims.back() / (heads_ + 2 * groups_);
      k = columns(steps_, q, heads_ * size, groups_ * size);
      v = columns(steps_, q, (heads_ + groups_) * size, groups_ * size);
      q = columns(steps_, q, 0, heads_ * size);
    }
    tokens_ = q->dims.at(1);
    q = heads_of(steps_, q, heads_);
    k = heads_of(steps_, k, groups_);
    v = heads_of(steps_, v, groups_);
    if (call_.attr("do_rotary", std::int64_t{0}) != 0) {
      q = turned(q);
      k = turned(k);
    }
    k = steps_.keep(cached(*k, input(3)));
    v = steps_.keep(cached(*v, input(4)));
    return {attended(q, counted(k), counted(v)), k, v};
  }

 private:
  const RefTensor* input(std::size_t i) const { return call_.has(i) ? &call_.in(i) : nullptr; }
  std::int64_t length(std::int64_t b) const {
    return call_.in(5).integer.at(static_cast<std::size_t>(b)) + 1;
  }
  /// Where the first query of sentence b stands.
  std::int64_t start(std::int64_t b) const { return tokens_ == total_ ? 0 : length(b) - tokens_; }

  const RefTensor* turned(const RefTensor* x) {
    RefTensor places;
    places.dtype = DType::kI64;
    places.dims = {x->dims.at(0), tokens_};
    for (std::int64_t b = 0; b < places.dims[0]; ++b) {
      for (std::int64_t s = 0; s < tokens_; ++s) places.integer.push_back(start(b) + s);
    }
    const RefTensor* at = input(9) != nullptr ? input(9) : steps_.keep(std::move(places));
    OpInstance op;
    op.type = "RotaryEmbedding";
    op.domain = "com.microsoft";
    op.name = call_.op.name;
    op.opset = 1;
    op.attributes = {{"interleaved", call_.attr("rotary_interleaved", std::int64_t{0})},
                     {"rotary_embedding_dim", 2 * input(7)->dims.at(1)}};
    const std::vector<const RefTensor*> inputs = {x, at, input(7), input(8)};
    for (const RefTensor* one : inputs) op.inputs.emplace_back(TensorType(one->dtype, one->dims));
    op.constants.resize(inputs.size());
    auto results = evaluate_reference(op, inputs, call_.precision);
    return steps_.keep(results ? Result<RefTensor>(std::move(results->at(0)))
                               : Result<RefTensor>(tl::unexpected(results.error())));
  }

  RefTensor cached(const RefTensor& fresh, const RefTensor* past) const {
    const std::int64_t room = past != nullptr ? past->dims[2] : 0;
    RefTensor result = fresh;
    result.dims[2] = std::max(room, total_);
    const Dims d = result.dims;
    const auto count = static_cast<std::size_t>(count_of(d).value_or(0));
    result.real.assign(count, 0.0);
    result.bound.assign(fresh.bound.empty() && (!past || past->bound.empty()) ? 0 : count, 0.0);
    for (std::size_t at = 0; at < count; ++at) {
      const auto i = static_cast<std::int64_t>(at);
      const std::int64_t place = i / d[3] % d[2], head = i / d[3] / d[2];
      const std::int64_t own = place - start(head / d[1]);
      const RefTensor* from = own >= 0 ? (own < tokens_ ? &fresh : nullptr) : past;
      if (from == nullptr || (own < 0 && place >= room)) continue;
      const std::int64_t row = from == &fresh ? own : place;
      const auto source = static_cast<std::size_t>((head * from->dims[2] + row) * d[3] + i % d[3]);
      result.real[at] = from->real[source];
      if (!result.bound.empty()) result.bound[at] = bound_at(*from, source);
    }
    return result;
  }

  const RefTensor* counted(const RefTensor* cache) {
    const RefTensor* some =
        steps_.run("Slice", {cache, steps_.ints({0}), steps_.ints({total_}), steps_.ints({2})});
    return heads_repeated(steps_, some, heads_);
  }

  bool sees(const Dims& index) const {
    if (call_.attr("causal", std::int64_t{1}) == 0) return index[3] < length(index[0]);
    const std::int64_t place = start(index[0]) + index[2];
    const std::int64_t window = call_.attr("local_window_size", std::int64_t{-1});
    return index[3] <= place && (window <= 0 || index[3] > place - window);
  }

  const RefTensor* attended(const RefTensor* q, const RefTensor* k, const RefTensor* v) {
    const double stated = static_cast<double>(call_.attr("scale", 0.0F));
    const double scale =
        stated != 0.0 ? stated : 1.0 / std::sqrt(static_cast<double>(q->dims.at(3)));
    const RefTensor* scores = scores_of(steps_, q, k, scale);
    scores = capped(steps_, scores, static_cast<double>(call_.attr("softcap", 0.0F)));
    if (call_.has(10)) scores = steps_.run("Add", {scores, input(10)});
    if (scores->dims.size() != 4) return scores;
    Bias bias(q->dtype, scores->dims);
    bias.forbid_unless([&](const Dims& index) { return sees(index); });
    scores = steps_.keep(bias.hidden(*scores));
    const RefTensor* weights = softmax_of(steps_, scores, scores->dtype);
    return heads_joined(steps_, steps_.run("MatMul", {weights, v}));
  }

  const Call& call_;
  Steps& steps_;
  std::int64_t groups_, heads_, total_, tokens_ = 0;
};

Outputs group_query_attention(const Call& call) {
  if (!call.has(5) || !call.has(6)) return call.refuse("seqlens_k or total_sequence_length is out");
  if (call.in(0).dims.size() != 3) return call.refuse("query is not of rank 3");
  Steps steps(call);
  return steps.outputs(GroupQuery(call, steps).run());
}

constexpr Entry kEntries[] = {{"com.microsoft.Attention", 2, 7, merged_attention},
                              {"com.microsoft.MultiHeadAttention", 1, 10, multi_head_attention},
                              {"com.microsoft.GroupQueryAttention", 1, 17, group_query_attention}};

}  // namespace

std::span<const Entry> contrib_attention_entries() { return kEntries; }

}  // namespace frit::ref
