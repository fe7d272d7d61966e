#include "apps/ocr_common/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocr {
namespace {

Reading read_steps(const std::vector<int>& best) {
  const std::vector<std::string> names = class_names("a\nb\n界");  // classes: blank a b 界 space
  std::vector<float> probabilities(best.size() * 5, 0.1F);
  for (std::size_t i = 0; i < best.size(); ++i) {
    probabilities[i * 5 + static_cast<std::size_t>(best[i])] = 0.5F;
  }
  return read_line(probabilities.data(), static_cast<int>(best.size()), 5, names);
}

TEST(Ctc, ClassesAreTheLinesThenASpace) {
  EXPECT_THAT(class_names("a\nb\n"), testing::ElementsAre("a", "b", " "));
  EXPECT_THAT(class_names("a\n\nb"), testing::ElementsAre("a", "", "b", " "));
}

TEST(Ctc, DropsRepeatsAndBlanks) {
  EXPECT_EQ(read_steps({0, 1, 1, 2, 0}).text, "ab");
  EXPECT_EQ(read_steps({1, 0, 1}).text, "aa");
  EXPECT_EQ(read_steps({3, 4, 2, 2}).text, "界 b");
}

TEST(Ctc, ConfidenceIsTheMeanOfTheCharactersKept) {
  EXPECT_NEAR(read_steps({1, 1, 0, 2}).confidence, 0.5, 1e-6);
  EXPECT_EQ(read_steps({0, 0}).confidence, 0.0);
  EXPECT_EQ(read_steps({}).text, "");
}

}  // namespace
}  // namespace ocr
