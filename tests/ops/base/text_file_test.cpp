#include "ops/base/text_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace frit {
namespace {

TEST(TextFile, IsReadWholeOrRefusedByName) {
  const std::string path = fmt::format("{}text_file_{}", ::testing::TempDir(), ::getpid());
  std::ofstream(path) << "group 1\n";
  EXPECT_EQ(read_text_file(path, "plan").value(), "group 1\n");
  std::filesystem::resize_file(path, kMostTextBytes);
  EXPECT_EQ(read_text_file(path, "plan").value().size(), kMostTextBytes);
  std::filesystem::resize_file(path, kMostTextBytes + 1);
  EXPECT_EQ(to_text(read_text_file(path, "plan").error()),
            "error: '" + path +
                "' should be a plan but has more than 16777216 bytes; name the right file "
                "[input-file]");
  std::filesystem::remove(path);
  EXPECT_EQ(to_text(read_text_file(path, "plan").error()),
            "error: '" + path +
                "' should be a plan but there is no such file; check the path [input-file]");
}

TEST(TextFile, OneThatNeverEndsIsRefused) {
  EXPECT_EQ(to_text(read_text_file("/dev/zero", "schedule").error()),
            "error: '/dev/zero' should be a schedule but has more than 16777216 bytes; name the "
            "right file [input-file]");
}

}  // namespace
}  // namespace frit
