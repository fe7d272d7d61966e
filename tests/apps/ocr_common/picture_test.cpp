#include "apps/ocr_common/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace ocr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255U);
  return text;
}

std::string chunk(const std::string& kind_and_body) {
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(kind_and_body.data()),
                         static_cast<uInt>(kind_and_body.size()));
  return big_endian(static_cast<std::uint32_t>(kind_and_body.size() - 4)) + kind_and_body +
         big_endian(static_cast<std::uint32_t>(sum));
}

struct Form {
  std::uint32_t width = 1, height = 1;
  char depth = 8, colour = 0, interlaced = 0;
  std::string palette = {};
};

/// A PNG of rows that begin with their filter's number, 0.
std::string png(const Form& form, const Bytes& rows) {
  std::string packed(compressBound(rows.size()), '\0');
  uLongf bytes = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, rows.data(), rows.size());
  packed.resize(bytes);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR" + big_endian(form.width) + big_endian(form.height) +
               std::string{form.depth, form.colour, '\0', '\0', form.interlaced}) +
         (form.palette.empty() ? "" : chunk("PLTE" + form.palette)) + chunk("IDAT" + packed) +
         chunk("IEND");
}

class PngFile : public ::testing::Test {
 protected:
  ~PngFile() override { std::filesystem::remove(path_); }
  std::string read(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    picture_ = {};
    return read_png(path_, picture_);
  }
  std::string path_ = ::testing::TempDir() + "/picture_" + std::to_string(::getpid()) + ".png";
  Picture picture_;
};

TEST_F(PngFile, MayBeGrey) {
  ASSERT_EQ(read(png({2, 1}, {0, 7, 200})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(7, 7, 7, 200, 200, 200));
  EXPECT_EQ(picture_.width, 2);
  EXPECT_EQ(picture_.height, 1);
}

// libpng's simple interface takes 16 bits without a gamma for linear light: 128 would become 188.
TEST_F(PngFile, MayHave16Bits) {
  ASSERT_EQ(read(png({2, 1, 16, 0}, {0, 128, 128, 10, 10})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(128, 128, 128, 10, 10, 10));
  ASSERT_EQ(read(png({1, 1, 16, 2}, {0, 1, 1, 128, 128, 3, 3})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(3, 128, 1));
}

TEST_F(PngFile, MayHaveAPaletteAndFewBits) {
  const std::string palette = "\x01\x02\x03\x64\x65\x66";
  ASSERT_EQ(read(png({2, 1, 8, 3, 0, palette}, {0, 1, 0})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(0x66, 0x65, 0x64, 3, 2, 1));
  ASSERT_EQ(read(png({2, 1, 1, 0}, {0, 0x40})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(0, 0, 0, 255, 255, 255));
}

TEST_F(PngFile, LiesOnWhiteWhereItIsTransparent) {
  ASSERT_EQ(read(png({2, 1, 8, 4}, {0, 0, 0, 9, 255})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(255, 255, 255, 9, 9, 9));
}

TEST_F(PngFile, MayBeInterlaced) {
  // Of a picture of 2x2: pixel (0,0) in pass 1, (1,0) in pass 6, row 1 in pass 7.
  ASSERT_EQ(read(png({2, 2, 8, 0, 1}, {0, 10, 0, 20, 0, 30, 40})), "");
  EXPECT_THAT(picture_.bgr, ElementsAre(10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40, 40));
}

TEST_F(PngFile, IsRefusedWithWhatIsWrong) {
  const std::string next = "; give a whole PNG file of at most 64 million pixels";
  EXPECT_EQ(read("no picture"), "cannot read '" + path_ + "': Not a PNG file" + next);
  EXPECT_EQ(read(png({60000, 50000}, {0})),
            "cannot read '" + path_ + "': 60000 x 50000 pixels are too many" + next);
  EXPECT_THAT(read(png({100, 100}, {0, 1})), HasSubstr("cannot read '" + path_ + "': "));
  EXPECT_EQ(read_png("no/such.png", picture_),
            "cannot read 'no/such.png': No such file or directory" + next);
}

TEST_F(PngFile, IsReadAsWritten) {
  const Picture picture{1, 2, {1, 2, 3, 250, 251, 252}};
  ASSERT_EQ(write_png(path_, picture), "");
  ASSERT_EQ(read_png(path_, picture_), "");
  EXPECT_EQ(picture_.bgr, picture.bgr);
}

TEST_F(PngFile, ThatCannotBeWrittenIsLeftAsItWas) {
  const Picture picture{1, 1, {1, 2, 3}};
  EXPECT_EQ(write_png("/dev/full", picture),
            "cannot write '/dev/full': No space left on device; free some space or write elsewhere");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace ocr
