#include "apps/frit/bench_package.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "generators/emit/tool.h"
#include "generators/package/mapped_file.h"
#include "generators/package/package_start.h"
#include "generators/verify/test_data.h"

namespace frit {

namespace {

namespace fs = std::filesystem;

}  // namespace

struct BenchPackage::Impl {
  PackageFacts facts;
  void* library = nullptr;
  void* arena = nullptr;
  MappedFile weights;
  std::array<std::uint64_t, kContextWords> context{};
  std::vector<Tensor> inputs;
  std::vector<std::vector<std::byte>> results;
  std::vector<const void*> io;
  bool ready = false;
  int (*run)(void*, const void*) = nullptr;
  void (*release)(void*) = nullptr;
  const char* (*error_text)(int) = nullptr;

  ~Impl() {
    if (ready) release(context.data());
    std::free(arena);
    if (library != nullptr) dlclose(library);
  }

  template <class Function>
  bool find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(
        dlsym(library, fmt::format("{}_{}", facts.c_name, name).c_str()));
    return function != nullptr;
  }

  void make_buffers() {
    for (const TensorType& type : facts.inputs) {
      inputs.push_back(test_tensor(type, DataKind::kRandom, inputs.size()));
      io.push_back(inputs.back().bytes().data());
    }
    for (const TensorType& type : facts.outputs) {
      results.emplace_back(static_cast<std::size_t>(type.bytes()));
      io.push_back(results.back().data());
    }
    io.push_back(nullptr);
  }

  Status check(int code) const {
    if (code == 0) return {};
    return fail("package-run", fmt::format("package '{}': {}", facts.folder, error_text(code)));
  }

  Status start(const std::string& object) {
    library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return fail("package-load", fmt::format("cannot load package '{}': {}; was it built for "
                                              "this machine?",
                                              facts.folder, dlerror()));
    }
    std::size_t (*arena_bytes)(int) = nullptr;
    int (*init)(void*, const void*) = nullptr;
    if (!find(arena_bytes, "arena_bytes") || !find(init, "init") || !find(run, "run") ||
        !find(release, "release") || !find(error_text, "error_text")) {
      return fail("package-load", fmt::format("'{}' lacks a function of package '{}'; build it "
                                              "again",
                                              facts.folder, facts.c_name));
    }
    const std::size_t bytes = arena_bytes(facts.threads);
    arena = std::aligned_alloc(64, std::max<std::size_t>((bytes + 63) / 64 * 64, 64));
    if (arena == nullptr) {
      return fail("input-memory",
                  fmt::format("package '{}': its arena takes {} bytes but this process cannot have "
                              "them; build it with a smaller --shape, or do it on a larger machine",
                              facts.folder, bytes));
    }
    PackageStart options;
    options.arena = arena;
    options.arena_bytes = bytes;
    options.threads = facts.threads;
    options.cpu_level = facts.cpu_level;
    if (!facts.weights_file.empty()) {
      auto mapped = MappedFile::map(facts.folder + "/" + facts.weights_file);
      if (!mapped) return fail(mapped.error());
      weights = std::move(*mapped);
      options.weights = weights.data();
      options.weights_bytes = weights.bytes();
    }
    const int code = init(context.data(), &options);
    ready = code == 0;
    return check(code);
  }
};

BenchPackage::BenchPackage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BenchPackage::BenchPackage(BenchPackage&&) noexcept = default;
BenchPackage& BenchPackage::operator=(BenchPackage&&) noexcept = default;
BenchPackage::~BenchPackage() = default;

Result<BenchPackage> BenchPackage::load(PackageFacts facts, const std::string& scratch,
                                        int number) {
  auto impl = std::make_unique<Impl>();
  impl->facts = std::move(facts);
  const std::string object = fmt::format("{}/{}.so", scratch, number);
  const fs::path archive =
      fs::path(impl->facts.folder) / fmt::format("lib{}.a", impl->facts.c_name);
  ToolRun link;
  link.arguments = toolchain_for(Architecture::kHost).cc;
  for (const std::string& word :
       {std::string("-shared"), std::string("-o"), object, std::string("-Wl,--whole-archive"),
        archive.string(), std::string("-Wl,--no-whole-archive"), std::string("-lm"),
        std::string("-pthread")}) {
    link.arguments.push_back(word);
  }
  FRIT_TRY(run_tool(link));
  impl->make_buffers();
  FRIT_TRY(impl->start(object));
  return BenchPackage(std::move(impl));
}

const PackageFacts& BenchPackage::facts() const { return impl_->facts; }

Status BenchPackage::run() {
  return impl_->check(impl_->run(impl_->context.data(), impl_->io.data()));
}

std::int64_t BenchPackage::timed_run_ns() {
  const auto start = std::chrono::steady_clock::now();
  impl_->run(impl_->context.data(), impl_->io.data());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              start)
      .count();
}

std::vector<Tensor> BenchPackage::outputs() const {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < impl_->results.size(); ++i) {
    const TensorType& type = impl_->facts.outputs[i];
    tensors.emplace_back(type.dtype, type.dims(),
                         std::make_shared<const std::vector<std::byte>>(impl_->results[i]));
  }
  return tensors;
}

}  // namespace frit
