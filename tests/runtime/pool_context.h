// A context of the runtime with its arena and pool of threads, as a package makes it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
#include "runtime/context.h"
#include "runtime/error.h"
#include "runtime/parallel.h"
}

namespace frit::testing {

class Context {
 public:
  explicit Context(int threads) {
    frit_package package = {};
    package.slab_bytes = 4096;
    package.max_threads = 64;
    const std::size_t bytes = frit_arena_bytes(&package, threads);
    arena_ = std::aligned_alloc(FRIT_ALIGNMENT, bytes);
    frit_options options = {};
    options.size = sizeof options;
    options.arena = arena_;
    options.arena_bytes = bytes;
    options.threads = threads;
    EXPECT_EQ(frit_init(&context_, &options, &package), 0);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    frit_release(&context_);
    std::free(arena_);
  }
  frit_worker* worker() { return frit_begin_run(&context_); }

 private:
  frit_context context_{};
  void* arena_ = nullptr;
};

}  // namespace frit::testing
