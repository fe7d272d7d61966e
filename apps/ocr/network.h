// A network that frit compiled, with its memory: all of it given by us, none allocated by the
// library.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ocr {

class Network {
 public:
  virtual ~Network() = default;
  /// Runs on an input of the network's own size. False: fault() says why.
  virtual bool run(const std::vector<float>& input) = 0;
  /// nullptr, or what went wrong when it was made or run.
  virtual const char* fault() const = 0;
  const std::vector<float>& output() const { return output_; }

 protected:
  std::vector<float> output_;
};

/// `Package` names the C functions of a package with one input and one output (OCR_PACKAGE).
template <class Package>
class Compiled final : public Network {
 public:
  explicit Compiled(int threads) {
    output_.resize(Package::kOutputElements);
    typename Package::Options options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.arena_bytes = Package::arena_bytes(threads);
    arena_.reset(std::aligned_alloc(Package::kArenaAlignment, options.arena_bytes));
    options.arena = arena_.get();
    code_ = Package::init(&context_, &options);
  }
  ~Compiled() override { Package::release(&context_); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  bool run(const std::vector<float>& input) override {
    if (code_ == 0) code_ = Package::run(&context_, input.data(), output_.data());
    return code_ == 0;
  }
  const char* fault() const override { return code_ == 0 ? nullptr : Package::error_text(code_); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  typename Package::Context context_;
  std::unique_ptr<void, Free> arena_;
  int code_ = 0;
};

}  // namespace ocr

// Defines struct `Name` for the package `package` with input `x` and output `y`, to be given to
// Compiled. The names of a package's functions begin with its own, so that many link into one
// program; a macro is the one way to spell them from it.
#define OCR_PACKAGE(Name, package, y)                                                      \
  struct Name {                                                                            \
    using Context = package##_context;                                                     \
    using Options = package##_options;                                                     \
    static constexpr std::size_t kInputElements = package##_x_ELEMENTS;                    \
    static constexpr std::size_t kOutputElements = package##_##y##_ELEMENTS;               \
    static constexpr std::size_t kArenaAlignment = package##_ARENA_ALIGNMENT;              \
    static constexpr int kMostThreads = package##_THREADS_MAX;                             \
    static std::size_t arena_bytes(int threads) { return package##_arena_bytes(threads); } \
    static int init(Context* context, const Options* options) {                            \
      return package##_init(context, options);                                             \
    }                                                                                      \
    static int run(Context* context, const float* in, float* out) {                        \
      const package##_io io = {in, out};                                                   \
      return package##_run(context, &io);                                                  \
    }                                                                                      \
    static void release(Context* context) { package##_release(context); }                  \
    static const char* error_text(int code) { return package##_error_text(code); }         \
  }
