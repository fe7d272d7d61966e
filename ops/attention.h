// Nodes that every form of attention expands into.
//
//   scores = scale Q K^T;  probabilities = softmax(scores + bias);  Y = probabilities V
//
// Queries are [b,h,s,d], keys [b,g,t,d], values [b,g,t,e]; h is a multiple of g, and query head i
// reads key head i / (h/g). Masks are additive: 0 where a key is seen, -inf where it is not.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "ops/expansion.h"

namespace frit {

inline constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// [b,s,heads*d] -> [b,heads,s,d]
Ref split_heads(Expansion& to, Ref x, std::int64_t heads);
/// [b,h,s,e] -> [b,s,h*e]
Ref join_heads(Expansion& to, Ref x);

/// scale Q K^T: [b,h,s,t]
Ref attention_scores(Expansion& to, Ref q, Ref k, double scale);
/// cap tanh(scores / cap); `scores` itself for a cap of 0.
Ref soft_capped(Expansion& to, Ref scores, double cap);
/// P V: [b,h,s,e]
Ref attention_values(Expansion& to, Ref probabilities, Ref v);

/// i32 [count,1] or [1,count]: first, first+1, …
Ref column_of_positions(Expansion& to, std::int64_t first, std::int64_t count);
Ref row_of_positions(Expansion& to, std::int64_t first, std::int64_t count);

/// a and b, or the one that is there.
Ref both(Expansion& to, Ref a, Ref b);
/// `dtype`: 0 where `seen`, else -inf.
Ref bias_of(Expansion& to, Ref seen, DType dtype);
/// bool [..,s,1]: no key is seen, all of bias[..,s,:] being -inf.
Ref rows_without_keys(Expansion& to, Ref bias);
/// Zero where `none`, else `probabilities`.
Ref without_rows(Expansion& to, Ref none, Ref probabilities);
/// x as `dtype`.
Ref as_type(Expansion& to, Ref x, DType dtype);

/// Softmax over the last axis, computed in `dtype` and given in the type of `scores`.
Ref softmax_in(Expansion& to, Ref scores, DType dtype);

/// Error "onnx-shape" unless input i (called `name`) is `dims`; -1: any extent.
Status check_dims(const OpInstance& op, std::size_t i, const std::string& name,
                  const std::vector<std::int64_t>& dims);

}  // namespace frit
