#include <gtest/gtest.h>

#include <random>
#include <vector>

extern "C" {
#include "runtime/error.h"
#include "runtime/worker.h"
void* halide_malloc(void* user_context, size_t bytes);
void halide_free(void* user_context, void* block);
}

namespace {

struct Slab {
  explicit Slab(std::size_t bytes) : memory(bytes + FRIT_ALIGNMENT), worker() {
    auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    address = (address + FRIT_ALIGNMENT - 1) / FRIT_ALIGNMENT * FRIT_ALIGNMENT;
    frit_worker_slab(&worker, reinterpret_cast<std::uint8_t*>(address), bytes);
  }
  void* take(std::size_t bytes) { return halide_malloc(&worker, bytes); }
  void free(void* block) { halide_free(&worker, block); }
  std::vector<std::uint8_t> memory;
  frit_worker worker;
};

TEST(SlabMemory, BlocksAreAlignedAndApart) {
  Slab slab(1024);
  auto* a = static_cast<std::uint8_t*>(slab.take(1));
  auto* b = static_cast<std::uint8_t*>(slab.take(65));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % FRIT_ALIGNMENT, 0U);
  EXPECT_EQ(b - a, 64);
  EXPECT_EQ(slab.worker.used_bytes, 192U);
}

TEST(SlabMemory, FreeInReverseOrderGivesTheBytesBack) {
  Slab slab(256);
  for (int round = 0; round < 100; ++round) {
    void* a = slab.take(100);
    void* b = slab.take(100);
    ASSERT_NE(b, nullptr);
    slab.free(b);
    slab.free(a);
    EXPECT_EQ(slab.worker.used_bytes, 0U);
  }
}

TEST(SlabMemory, BlockFreedEarlyComesBackWithThoseAboveIt) {
  Slab slab(1024);
  void* a = slab.take(64);
  void* b = slab.take(64);
  void* c = slab.take(64);
  slab.free(a);
  slab.free(b);
  EXPECT_EQ(slab.worker.used_bytes, 192U);
  slab.free(c);
  EXPECT_EQ(slab.worker.used_bytes, 0U);
  EXPECT_EQ(slab.take(1), a);
}

TEST(SlabMemory, EmptyBlocksAndNullAreHarmless) {
  Slab slab(64);
  void* a = slab.take(0);
  void* b = slab.take(64);
  EXPECT_EQ(a, b);
  slab.free(nullptr);
  slab.free(b);
  slab.free(a);
  EXPECT_EQ(slab.worker.used_bytes, 0U);
  EXPECT_EQ(slab.worker.blocks, 0);
}

TEST(SlabMemory, FullSlabGivesNullAndRecordsWhy) {
  Slab slab(128);
  EXPECT_NE(slab.take(128), nullptr);
  EXPECT_EQ(slab.take(1), nullptr);
  EXPECT_EQ(slab.worker.error, FRIT_SLAB_FULL);
}

TEST(SlabMemory, SizeThatOverflowsIsRefused) {
  Slab slab(128);
  EXPECT_EQ(slab.take(SIZE_MAX), nullptr);
  EXPECT_EQ(slab.take(SIZE_MAX - 64), nullptr);
}

TEST(SlabMemory, TooManyBlocksAreRefused) {
  Slab slab(static_cast<std::size_t>(64 * (FRIT_MAX_TEMPORARIES + 8)));
  std::vector<void*> blocks;
  for (int i = 0; i < FRIT_MAX_TEMPORARIES; ++i) blocks.push_back(slab.take(64));
  EXPECT_NE(blocks.back(), nullptr);
  EXPECT_EQ(slab.take(64), nullptr);
  for (void* block : blocks) slab.free(block);
  EXPECT_EQ(slab.worker.used_bytes, 0U);
}

// Nested scopes with early frees, as lowered code has them: use never passes the sum over the nest.
TEST(SlabMemory, NeverHoldsMoreThanTheNestOfAllocations) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Slab slab(64 * 64);
    struct Block {
      void* at;
      bool freed;
    };
    std::vector<Block> nest;
    for (int i = 0; i < 200; ++i) {
      const auto choice = random() % 3;
      if (choice == 0 && nest.size() < 20) {
        nest.push_back({slab.take(1 + random() % 64), false});
        ASSERT_NE(nest.back().at, nullptr);
      } else if (choice == 1 && !nest.empty()) {  // freed before its scope ends
        Block& block = nest[random() % nest.size()];
        if (!block.freed) slab.free(block.at);
        block.freed = true;
      } else if (!nest.empty()) {  // its scope ends
        if (!nest.back().freed) slab.free(nest.back().at);
        nest.pop_back();
      }
      EXPECT_LE(slab.worker.used_bytes, 64 * nest.size());
    }
  }
}

}  // namespace
