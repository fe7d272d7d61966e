#include "generators/package/c_names.h"

#include <gtest/gtest.h>

#include <set>

namespace frit {
namespace {

TEST(CNames, KeepsWhatIsAnIdentifierAlready) {
  EXPECT_EQ(c_identifier("x"), "x");
  EXPECT_EQ(c_identifier("softmax_11.tmp_0"), "softmax_11_tmp_0");
}

TEST(CNames, NeverAKeywordNorAMacro) {
  EXPECT_EQ(c_identifier("int"), "int_");
  EXPECT_EQ(c_identifier("class"), "class_");
  EXPECT_EQ(c_identifier("linux"), "linux_");
  EXPECT_EQ(c_identifier("NULL"), "NULL_");
  EXPECT_EQ(c_identifier("INT8_MAX"), "INT8_MAX_");
  EXPECT_EQ(c_identifier("FRIT_ALIGNMENT"), "vFRIT_ALIGNMENT");
}

TEST(CNames, StartsWithALetter) {
  EXPECT_EQ(c_identifier("0"), "v0");
  EXPECT_EQ(c_identifier("_x"), "x");
  EXPECT_EQ(c_identifier("__reserved"), "reserved");
  EXPECT_EQ(c_identifier("../a/b:0"), "a_b_0");
}

TEST(CNames, NothingLeftOfForeignLetters) {
  EXPECT_EQ(c_identifier(""), "");
  EXPECT_EQ(c_identifier("\xe8\xbe\x93\xe5\x85\xa5"), "");
  EXPECT_EQ(c_identifier("\xff\xfe"), "");
}

TEST(CNames, LongNamesKeepApart) {
  const std::string stem(300, 'a');
  const std::string one = c_identifier(stem + "1");
  const std::string two = c_identifier(stem + "2");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), 56U);
}

TEST(CNames, ClashesAndEmptyNamesAreNumbered) {
  const std::vector<std::string> names =
      c_identifiers({"a.b", "a:b", "", "a_b_2", "\xc3\xbc"}, "input", {"taken"});
  EXPECT_EQ(names, (std::vector<std::string>{"a_b", "a_b_2", "input2", "a_b_2_2", "input4"}));
  EXPECT_EQ(c_identifiers({"taken"}, "output", {"taken"}), (std::vector<std::string>{"taken_2"}));
}

TEST(CNames, CommentsCannotBeLeftOrOpened) {
  EXPECT_EQ(comment_text("a */ int x; /* b"), "a * / int x; / * b");
  EXPECT_EQ(comment_text("*/*/"), "* / * / ");
  EXPECT_EQ(comment_text("line\nbreak\x01"), "line?break?");
  EXPECT_EQ(comment_text("\xc3\xbc \xff"), "\xc3\xbc ?");
  EXPECT_EQ(comment_text("a\u202eb\u200b"), "a???b???");  // the first turns what follows
  EXPECT_EQ(comment_text("ends in \\"), "ends in \\ ");
  EXPECT_EQ(comment_text(std::string(500, 'x'), 20), std::string(17, 'x') + "...");
}

}  // namespace
}  // namespace frit
