#include "generators/package/loaded_package.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "generators/package/mapped_file.h"
#include "generators/package/package_start.h"

namespace frit {

struct LoadedPackage::Impl {
  void* library = nullptr;
  void* arena = nullptr;
  MappedFile weights;
  std::size_t arena_bytes = 0;
  std::array<std::uint64_t, kContextWords> context{};
  std::vector<TensorType> inputs, outputs;
  bool ready = false;

  std::size_t (*bytes_function)(int) = nullptr;
  int (*init)(void*, const void*) = nullptr;
  int (*run)(void*, const void*) = nullptr;
  void (*release)(void*) = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*step_count)() = nullptr;
  int (*step)(void*, const void*, int) = nullptr;

  ~Impl() {
    if (ready) release(context.data());
    std::free(arena);
    if (library != nullptr) dlclose(library);
  }

  template <class Function>
  bool find(Function& function, const std::string& name) {
    function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
    return function != nullptr;
  }

  Status start(const SharedObject& object, int threads, int cpu_level) {
    // The loader knows libraries by path: it would hand out the old one for a new file.
    if (void* old = dlopen(object.path.c_str(), RTLD_NOW | RTLD_NOLOAD); old != nullptr) {
      dlclose(old);
      return fail("package-load", fmt::format("'{}' is loaded already; drop that package first, or "
                                              "write this one to another folder",
                                              object.path));
    }
    library = dlopen(object.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return fail("package-load", fmt::format("cannot load '{}': {}; was it built for this "
                                              "machine?",
                                              object.path, dlerror()));
    }
    const std::string m = object.c_name + "_";
    if (!find(bytes_function, m + "arena_bytes") || !find(init, m + "init") ||
        !find(run, m + "run") || !find(release, m + "release") ||
        !find(error_text, m + "error_text") || !find(step_count, m + "step_count") ||
        !find(step, m + "step")) {
      return fail("package-load", fmt::format("'{}' lacks a function of package '{}'; build it "
                                              "again",
                                              object.path, object.c_name));
    }
    arena_bytes = bytes_function(threads);
    // At least one byte, so that the arena of a model without values is not null.
    const std::size_t wanted = std::max<std::size_t>(arena_bytes, 64);
    arena = std::aligned_alloc(64, (wanted + 63) / 64 * 64);
    if (arena == nullptr) {
      return fail("input-memory",
                  fmt::format("the package's arena takes {} bytes but this process cannot have "
                              "them; pass a smaller --shape, or do it on a larger machine",
                              wanted));
    }
    PackageStart options;
    options.arena = arena;
    options.arena_bytes = arena_bytes;
    options.threads = threads;
    options.cpu_level = cpu_level;
    if (!object.weights.empty()) {
      auto mapped = MappedFile::map(object.weights);
      if (!mapped) return fail(mapped.error());
      weights = std::move(*mapped);
      options.weights = weights.data();
      options.weights_bytes = weights.bytes();
    }
    const int code = init(context.data(), &options);
    ready = code == 0;
    return check(code);
  }

  Status check(int code) const {
    if (code == 0) return {};
    return fail("package-run", fmt::format("code {}: {}", code, error_text(code)));
  }
};

LoadedPackage::LoadedPackage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LoadedPackage::LoadedPackage(LoadedPackage&&) noexcept = default;
LoadedPackage& LoadedPackage::operator=(LoadedPackage&&) noexcept = default;
LoadedPackage::~LoadedPackage() = default;

Result<LoadedPackage> LoadedPackage::load(const SharedObject& object, const Graph& graph,
                                          int threads, int cpu_level) {
  auto impl = std::make_unique<Impl>();
  for (const ValueId input : graph.inputs) impl->inputs.push_back(graph.value(input).type);
  for (const ValueId output : graph.outputs) impl->outputs.push_back(graph.value(output).type);
  FRIT_TRY(impl->start(object, threads, cpu_level));
  return LoadedPackage(std::move(impl));
}

std::size_t LoadedPackage::arena_bytes() const { return impl_->arena_bytes; }
int LoadedPackage::steps() const { return impl_->step_count(); }

Result<std::vector<Tensor>> LoadedPackage::run(const std::vector<Tensor>& inputs) {
  if (inputs.size() != impl_->inputs.size()) {
    return fail("package-input",
                fmt::format("the model has {} inputs but {} were given; give one tensor for each",
                            impl_->inputs.size(), inputs.size()));
  }
  std::vector<const void*> from;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!(inputs[i].type() == impl_->inputs[i])) {
      return fail(
          "package-input",
          fmt::format(
              "input {} is {} but the model was built for {}; convert it or build for its shape", i,
              to_text(inputs[i].type()), to_text(impl_->inputs[i])));
    }
    from.push_back(inputs[i].bytes().data());
  }
  std::vector<std::shared_ptr<std::vector<std::byte>>> bytes;
  std::vector<void*> to;
  for (const TensorType& type : impl_->outputs) {
    bytes.push_back(
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(type.bytes())));
    to.push_back(bytes.back()->data());
  }
  FRIT_TRY(run(from, to));
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    outputs.emplace_back(impl_->outputs[i].dtype, impl_->outputs[i].dims(), bytes[i]);
  }
  return outputs;
}

namespace {

/// The io struct: every member is a pointer, inputs first.
std::vector<const void*> io_of(const std::vector<const void*>& inputs,
                               const std::vector<void*>& outputs) {
  std::vector<const void*> io = inputs;
  io.insert(io.end(), outputs.begin(), outputs.end());
  if (io.empty()) io.push_back(nullptr);
  return io;
}

}  // namespace

Status LoadedPackage::run(const std::vector<const void*>& inputs,
                          const std::vector<void*>& outputs) {
  const std::vector<const void*> io = io_of(inputs, outputs);
  return impl_->check(impl_->run(impl_->context.data(), io.data()));
}

Status LoadedPackage::step(const std::vector<const void*>& inputs,
                           const std::vector<void*>& outputs, int step) {
  const std::vector<const void*> io = io_of(inputs, outputs);
  return impl_->check(impl_->step(impl_->context.data(), io.data(), step));
}

}  // namespace frit
