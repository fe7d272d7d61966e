#include "apps/embed/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/embed/unicode.h"

namespace embed {
namespace {

using testing::ElementsAre;

TEST(Words, AreLowerCaseWithoutAccentsAndEndAtPunctuation) {
  EXPECT_THAT(words_of("Hello, WORLD!"), ElementsAre("hello", ",", "world", "!"));
  EXPECT_THAT(words_of("crème brûlée"), ElementsAre("creme", "brulee"));
  EXPECT_THAT(words_of("e\u0301t\u00e9"), ElementsAre("ete"));  // a mark of its own, and one in é
  EXPECT_THAT(words_of("€5.50 3–1"), ElementsAre("€5", ".", "50", "3", "–", "1"));
  EXPECT_THAT(words_of("ПРИВЕТ Ёлка"), ElementsAre("привет", "елка"));
}

TEST(Words, SpacesOfAllKindsPartThemAndControlsDoNot) {
  EXPECT_THAT(words_of(" a\tb\u00a0c\u3000d\n"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(words_of("a\u200bb\x01 c"), ElementsAre("ab", "c"));
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(words_of("\u0301").empty());
}

TEST(Words, IdeographsStandAloneAndHangulComesApart) {
  EXPECT_THAT(words_of("東京x"), ElementsAre("東", "京", "x"));
  EXPECT_THAT(words_of("\uac01\uac00"), ElementsAre("\u1100\u1161\u11a8\u1100\u1161"));
}

TEST(Words, BytesThatAreNoTextAreDropped) {
  EXPECT_THAT(words_of("a\xff\xc3(b"), ElementsAre("a", "(", "b"));
  EXPECT_THAT(words_of("\xed\xa0\x80z\xf4\x90\x80\x80"), ElementsAre("z"));  // no code points
  EXPECT_EQ(decode("\xc0\x80"), U"\uFFFD\uFFFD");                            // a longer form of 0
}

TEST(Unicode, EncodesWhatItDecodes) {
  const std::string text = "a\u00e9\u6771\U0001F600";
  std::string again;
  for (const char32_t c : decode(text)) encode(c, again);
  EXPECT_EQ(again, text);
}

class TokenizerOfNine : public testing::Test {
 protected:
  Tokenizer tokenizer_{"[PAD]\n[UNK]\n[CLS]\n[SEP]\nem\n##bed\n##ding\nembed\n!\n"};
};

TEST_F(TokenizerOfNine, TakesTheLongestPieces) {
  EXPECT_EQ(tokenizer_.fault(), "");
  EXPECT_THAT(tokenizer_.tokens("Embedding!", 128), ElementsAre(2, 7, 6, 8, 3));
  EXPECT_THAT(tokenizer_.tokens("", 128), ElementsAre(2, 3));
}

TEST_F(TokenizerOfNine, AWordThatDoesNotCutIsOneUnknown) {
  EXPECT_THAT(tokenizer_.tokens("embedx em", 128), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(tokenizer_.tokens("em" + std::string(99, 'b'), 128), ElementsAre(2, 1, 3));
}

TEST_F(TokenizerOfNine, KeepsTheEndMarkOfWhatItCuts) {
  EXPECT_THAT(tokenizer_.tokens("! ! ! !", 4), ElementsAre(2, 8, 8, 3));
  EXPECT_THAT(tokenizer_.tokens("embedding", 3), ElementsAre(2, 7, 3));
  EXPECT_THAT(tokenizer_.tokens("!", 2), ElementsAre(2, 3));
}

TEST(Tokenizer, NamesTheSpecialPieceThatIsMissing) {
  EXPECT_EQ(Tokenizer("[UNK]\n[CLS]\na\n").fault(), "the vocabulary has no [SEP]");
}

}  // namespace
}  // namespace embed
