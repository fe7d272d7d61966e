#include "generators/emit/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace frit {
namespace {

class CacheTest : public testing::Test {
 protected:
  ~CacheTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = testing::TempDir() + "frit_cache_" + std::to_string(::getpid());
};

TEST_F(CacheTest, GivesBackWhatWasWritten) {
  const Cache cache(folder_);
  EXPECT_FALSE(cache.has("abcd", ".json"));
  EXPECT_FALSE(cache.read("abcd", ".json").has_value());
  ASSERT_TRUE(cache.write("abcd", ".json", std::string("a\0b", 3)));
  EXPECT_TRUE(cache.has("abcd", ".json"));
  EXPECT_EQ(cache.read("abcd", ".json"), std::string("a\0b", 3));
}

TEST_F(CacheTest, AnUncommittedFileIsNoEntry) {
  const Cache cache(folder_);
  const auto scratch = cache.scratch("abcd", ".o");
  ASSERT_TRUE(scratch);
  EXPECT_NE(*scratch, cache.path("abcd", ".o"));
  EXPECT_FALSE(cache.has("abcd", ".o"));
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsADiagnostic) {
  const Cache cache("/proc/no/such");
  const Status written = cache.write("abcd", ".json", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "cache-write");
}

}  // namespace
}  // namespace frit
