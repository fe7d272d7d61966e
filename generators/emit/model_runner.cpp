#include "generators/emit/model_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace frit {
namespace {

// Room that vector loads may touch past the last element.
constexpr std::int64_t kSlackBytes = 64;

AlignedBytes aligned_bytes(std::int64_t bytes) {
  const auto rounded = static_cast<std::size_t>((bytes + kSlackBytes + 63) / 64 * 64);
  void* memory = std::aligned_alloc(64, rounded);
  FRIT_ASSERT(memory != nullptr, fmt::format("no memory for {} bytes", bytes));
  std::memset(memory, 0, rounded);
  return {static_cast<std::byte*>(memory), &std::free};
}

// Calls f(dense element number, stored element number) for every element, in row-major order.
template <class F>
void for_each_element(const Storage& storage, const std::vector<std::int64_t>& dims, F f) {
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  std::vector<std::int64_t> index(dims.size(), 0);
  std::int64_t stored = origin_offset(storage, dims);
  for (std::int64_t dense = 0; dense < count; ++dense) {
    f(static_cast<std::size_t>(dense), static_cast<std::size_t>(stored));
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      stored += strides[axis];
      if (++index[axis] < dims[axis]) break;
      stored -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

// Every stored element of a buffer with a halo, set to the fill.
void fill(std::byte* bytes, std::int64_t elements, DType dtype, double value) {
  const Tensor element = Tensor::scalar(dtype, value);
  const std::size_t size = element.bytes().size();
  for (std::int64_t i = 0; i < elements; ++i) {
    std::memcpy(bytes + static_cast<std::size_t>(i) * size, element.bytes().data(), size);
  }
}

}  // namespace

Result<std::unique_ptr<ModelRunner>> ModelRunner::load(const Graph& graph, const Plan& plan,
                                                       const CompiledModel& model) {
  auto library = KernelLibrary::load(model);
  if (!library) return fail(library.error());
  std::unique_ptr<ModelRunner> runner(new ModelRunner(graph, plan, model));
  runner->library_ = std::move(*library);
  runner->allocate();
  return runner;
}

void ModelRunner::allocate() {
  for (const auto& [id, storage] : plan_.storage) {
    if (storage.is_view()) continue;
    const TensorType& type = graph_.value(id).type;
    const std::int64_t elements = stored_elements(storage, type.dims());
    AlignedBytes bytes = aligned_bytes(elements * size_bytes(type.dtype));
    if (storage.has_halo()) fill(bytes.get(), elements, type.dtype, storage.halo_fill);
    buffers_.emplace(id, std::move(bytes));
  }
  for (const CompiledModel::Constant& constant : model_.constants) {
    const std::span<const std::byte> source = constant.data.bytes();
    AlignedBytes bytes = aligned_bytes(static_cast<std::int64_t>(source.size()));
    std::copy(source.begin(), source.end(), bytes.get());
    constants_.push_back(std::move(bytes));
  }
  for (const Kernel& kernel : model_.kernels) {
    std::vector<void*> addresses;
    for (const KernelArgument& argument : kernel.arguments) {
      if (argument.is_constant) {
        addresses.push_back(constants_[static_cast<std::size_t>(argument.constant_index)].get());
      } else {
        addresses.push_back(buffer_of(argument.value));
      }
    }
    arguments_.push_back(std::move(addresses));
  }
}

std::byte* ModelRunner::buffer_of(ValueId id) const {
  const auto base = plan_.alias_of.find(id);
  const auto found = buffers_.find(base == plan_.alias_of.end() ? id : base->second);
  FRIT_ASSERT(found != buffers_.end(), "value " + graph_.value(id).name + " has no buffer");
  return found->second.get();
}

Status ModelRunner::set(ValueId id, const Tensor& tensor) {
  const TensorType& type = graph_.value(id).type;
  if (tensor.type() != type) {
    return fail("run-type",
                fmt::format("'{}' is {} but the data given is {}; convert the data",
                            graph_.value(id).name, to_text(type), to_text(tensor.type())));
  }
  const auto size = static_cast<std::size_t>(size_bytes(type.dtype));
  std::byte* stored = buffer_of(id);
  const std::byte* dense = tensor.bytes().data();
  for_each_element(plan_.storage.at(id), type.dims(), [&](std::size_t from, std::size_t to) {
    std::memcpy(stored + to * size, dense + from * size, size);
  });
  return {};
}

Tensor ModelRunner::get(ValueId id) const {
  const TensorType& type = graph_.value(id).type;
  const auto size = static_cast<std::size_t>(size_bytes(type.dtype));
  const std::byte* stored = buffer_of(id);
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(type.bytes()));
  for_each_element(plan_.storage.at(id), type.dims(), [&](std::size_t to, std::size_t from) {
    std::memcpy(bytes->data() + to * size, stored + from * size, size);
  });
  return Tensor(type.dtype, type.dims(), std::move(bytes));
}

Status ModelRunner::run_kernel(std::size_t index) const {
  return library_->run(index, arguments_.at(index));
}

Status ModelRunner::run(const std::function<void(std::size_t)>& after) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    FRIT_TRY(run_kernel(i));
    if (after) after(i);
  }
  return {};
}

}  // namespace frit
