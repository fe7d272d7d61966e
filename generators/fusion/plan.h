// Plan: which nodes share a kernel and why, and how each value lies in memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

/// How a value lies in memory. Axes are logical (ONNX order).
struct Storage {
  std::vector<int> order;  ///< axes from innermost to outermost; {3,2,1,0} is dense NCHW
  std::vector<std::int64_t> halo_low, halo_high;  ///< border elements per axis; empty: none
  double halo_fill = 0.0;
  /// A view into the buffer of another value (Plan::alias_of): elements between neighbours along
  /// each axis, and the offset of logical index 0 from the first stored element of that buffer.
  /// Else a buffer of its own, packed as `order` and the halo say. `order` is sorted by stride in
  /// both cases. The halo of a view is part of its base's halo.
  bool view = false;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  bool has_halo() const;
  bool is_view() const { return view; }
  bool operator==(const Storage&) const = default;
};

/// Dense row-major.
Storage dense_storage(int rank);
/// Elements between neighbours along each logical axis, halo included.
std::vector<std::int64_t> strides_of(const Storage& storage, const std::vector<std::int64_t>& dims);
/// Elements from the first to the last stored one, halo included (of a view: those it spans).
std::int64_t stored_elements(const Storage& storage, const std::vector<std::int64_t>& dims);
/// Offset in elements of logical index 0 from the first stored element of the buffer that holds
/// it: its own, or its base's.
std::int64_t origin_offset(const Storage& storage, const std::vector<std::int64_t>& dims);
/// Offset in elements of the lowest stored element (index -halo_low) from the first stored element
/// of the buffer that holds it: 0 unless a view. A kernel's host pointer for this value is the
/// buffer's address plus this.
std::int64_t first_offset(const Storage& storage, const std::vector<std::int64_t>& dims);
/// "x:c:y:n +1y+1x" style text for plans.
std::string to_text(const Storage& storage, const std::vector<std::int64_t>& dims);

enum class GroupKind : std::uint8_t {
  kKernel,  ///< one Halide pipeline
  kAlias,   ///< no code: outputs and inputs lie in one buffer (Plan::alias_of)
};

struct Group {
  int id = 0;
  GroupKind kind = GroupKind::kKernel;
  std::string name;    ///< C identifier made from anchor and number: "conv2d_12"
  std::string anchor;  ///< schedule kind: "conv2d", "matmul", "softmax", "elementwise" …
  NodeId anchor_node = kNone;
  std::vector<NodeId> nodes;     ///< topological order
  std::vector<ValueId> inputs;   ///< values read from outside, each once, in order of first use;
                                 ///< constants included
  std::vector<ValueId> outputs;  ///< values needed outside, in topological order
};

/// One named quantity of the cost model, e.g. {"bytes_saved", 1048576}.
struct CostTerm {
  std::string name;
  double value = 0.0;
};

/// Why the value on an edge is or is not kept inside a kernel.
struct EdgeVerdict {
  NodeId producer = kNone;
  NodeId consumer = kNone;
  ValueId value = kNone;
  bool fused = false;
  std::string code;      ///< "fused", or a code of DESIGN.md section 4: "multi-use", "shape" …
  std::string sentence;  ///< the two facts that decide
  std::vector<CostTerm> terms;
};

struct Plan {
  std::vector<Group> groups;           ///< execution order
  std::vector<EdgeVerdict> edges;      ///< one for each candidate edge, topological order
  std::map<ValueId, Storage> storage;  ///< every non-constant value that lives in memory
  /// value -> value in whose buffer it lies (its Storage is a view). Never chained: the base owns
  /// its buffer. The base may be written through its views alone (the parts of a Concat, or the
  /// value reshaped into a graph output): it lives from the first write of any to the last read of
  /// any. Two views of one base may overlap only where one is made from the other by a kAlias
  /// group.
  std::map<ValueId, ValueId> alias_of;
};

/// The text of `frit plan`; parses back (see plan_text.h).
std::string to_text(const Plan& plan, const Graph& graph);

}  // namespace frit
