#include "apps/ocr/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace ocr {
namespace {

std::string parse(std::vector<const char*> words, Options& options) {
  words.insert(words.begin(), "ocr");
  return parse_options(static_cast<int>(words.size()), words.data(), 2, options);
}

TEST(OcrOptions, TakesAllOfThem) {
  Options options;
  EXPECT_EQ(parse({"--json", "-", "a.png", "--annotate", "b.png", "--threads", "2", "--times",
                   "--dump", "d"},
                  options),
            "");
  EXPECT_EQ(options.page, "a.png");
  EXPECT_EQ(options.json, "-");
  EXPECT_EQ(options.annotate, "b.png");
  EXPECT_EQ(options.dump, "d");
  EXPECT_EQ(options.threads, 2);
  EXPECT_TRUE(options.times);
}

TEST(OcrOptions, SaysWhatIsWrong) {
  Options options;
  EXPECT_EQ(parse({}, options), "no page is given; name a PNG file");
  EXPECT_EQ(parse({"a.png", "--json"}, options),
            "--json stands without a value; write one after it");
  EXPECT_EQ(parse({"--page"}, options), "there is no option '--page'; those below exist");
  options = {};
  EXPECT_EQ(parse({"a", "b"}, options), "two pages, 'a' and 'b'; give one at a time");
  for (const char* threads : {"0", "3", "2x", "-1", "99999999999"}) {
    options = {};
    EXPECT_EQ(parse({"a", "--threads", threads}, options),
              "--threads is '" + std::string(threads) +
                  "' but the networks were built for 1 to 2 threads; give one of these numbers");
  }
}

}  // namespace
}  // namespace ocr
