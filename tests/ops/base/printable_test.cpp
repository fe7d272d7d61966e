#include "ops/base/printable.h"

#include <gtest/gtest.h>

namespace frit {
namespace {

TEST(Printable, WhatDrawsStaysAsItIs) {
  for (const char* text :
       {"", "plain ~ \\x", "\xc3\xbc", "\xe5\x8f\x98", "\xf0\x9f\x98\x80", "a\n\tb"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalObeysOrHidesIsSpelledOut) {
  EXPECT_EQ(printable("a\x1b[31m\x7f\r"), "a\\x1b[31m\\x7f\\x0d");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");           // U+202E, right to left
  EXPECT_EQ(printable("\xe2\x80\x8b|"), "\\xe2\\x80\\x8b|");         // U+200B, no width
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");                    // U+009B, CSI
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\\xf3\\xa0\\x81\\x81");  // U+E0041, a tag
}

TEST(Printable, WhatIsNoUtf8IsSpelledOut) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // a longer '/'
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // the same
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xe5\x8f"), "\\xe5\\x8f");                    // cut short
}

TEST(Printable, QuotesSpellLineFeedsToo) {
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes("a\"b\\c\n"), "\"a\\\"b\\\\c\\x0a\"");
}

TEST(Printable, JsonReadsBackAsItWas) {
  EXPECT_EQ(printable_json("{\n \"\xe2\x80\xae\": \"\xc3\xbc\x7f\"\n}"),
            "{\n \"\\u202e\": \"\xc3\xbc\\u007f\"\n}");
  EXPECT_EQ(printable_json("\"\xf3\xa0\x81\x81\""), "\"\\udb40\\udc41\"");
}

}  // namespace
}  // namespace frit
