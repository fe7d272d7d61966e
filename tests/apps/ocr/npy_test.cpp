#include "apps/ocr/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "apps/frit/npy.h"

namespace ocr {
namespace {

TEST(OcrNpy, IsWhatFritReads) {
  const std::string path = testing::TempDir() + "/ocr_npy_" + std::to_string(getpid()) + ".npy";
  const std::vector<float> values = {1, 2, 3, 4, 5, 6.5F};
  ASSERT_EQ(write_npy(path, {1, 2, 3}, values), "");
  const auto tensor = frit::read_npy(path);
  std::remove(path.c_str());
  ASSERT_TRUE(tensor.has_value());
  EXPECT_THAT(tensor->dims(), testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(tensor->data<float>(), testing::ElementsAreArray(values));
}

TEST(OcrNpy, SaysWhyAFileCannotBeWritten) {
  EXPECT_EQ(write_npy("no/such/folder/a.npy", {1}, {1}),
            "cannot write 'no/such/folder/a.npy': No such file or directory; "
            "give a path that can be written");
}

}  // namespace
}  // namespace ocr
