#include "apps/frit/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace frit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string scratch(const std::string& name) { return testing::TempDir() + "npy_test_" + name; }

std::string write_file(const std::string& name, const std::string& content) {
  const std::string path = scratch(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string npy(const std::string& header, const std::string& data) {
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  return text + header + data;
}

TEST(Npy, ReadsBackWhatItWrote) {
  const std::string path = scratch("round.npy");
  for (const std::vector<std::int64_t>& dims :
       {std::vector<std::int64_t>{}, {1}, {6}, {2, 3}, {1, 2, 3}, {0, 4}}) {
    const std::int64_t count = TensorType(DType::kF32, dims).elements();
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i) * 0.5F);
    ASSERT_TRUE(write_npy(path, Tensor::f32(dims, values)));
    const auto back = read_npy(path);
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(back->type(), TensorType(DType::kF32, dims));
    EXPECT_THAT(std::vector<float>(back->data<float>().begin(), back->data<float>().end()),
                testing::ElementsAreArray(values));
  }
}

TEST(Npy, HoldsTypesThatNumPyLacksAsIntegers) {
  const std::string path = scratch("small.npy");
  const Tensor nibbles = Tensor::of<std::int8_t>(DType::kI4, {3}, {-8, 7, 0});
  ASSERT_TRUE(write_npy(path, nibbles));
  const auto back = read_npy(path);
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->dtype(), DType::kI8);
  EXPECT_EQ(named_as(*back, DType::kI4).type(), nibbles.type());
  EXPECT_EQ(named_as(*back, DType::kI4).to_ints(), nibbles.to_ints());
  EXPECT_EQ(named_as(*back, DType::kI2).dtype(), DType::kI8);   // -8 is none
  EXPECT_EQ(named_as(*back, DType::kF32).dtype(), DType::kI8);  // another type altogether
  const Tensor code = Tensor::of<std::uint8_t>(DType::kU8, {1}, {0x38});
  EXPECT_EQ(named_as(code, DType::kF8E4M3FN).to_doubles(), (std::vector<double>{1}));
}

TEST(Npy, StartsDataAtAMultipleOf64) {
  const std::string path = scratch("aligned.npy");
  ASSERT_TRUE(write_npy(path, Tensor::i64({3}, {1, 2, 3})));
  EXPECT_EQ((std::filesystem::file_size(path) - 24) % 64, 0U);
}

TEST(Npy, ReadsNumPysSpelling) {
  const std::string path =
      write_file("one.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n",
                                std::string("\x05\0\0\0\xff\xff\xff\xff", 8)));
  const auto tensor = read_npy(path);
  ASSERT_TRUE(tensor);
  EXPECT_THAT(tensor->to_ints(), ElementsAre(5, -1));
}

TEST(Npy, RefusesBrokenFilesWithTheReason) {
  const auto message = [](const std::string& content) {
    const auto tensor = read_npy(write_file("bad.npy", content));
    EXPECT_FALSE(tensor);
    EXPECT_EQ(tensor ? "" : tensor.error().code, "input-npy");
    return tensor ? "" : tensor.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("is not an .npy file"));
  EXPECT_THAT(message("\x93NUMPY\x01"), HasSubstr("is not an .npy file"));
  EXPECT_THAT(message(npy("{'descr': '<f4'}", "")), HasSubstr("header cannot be read"));
  EXPECT_THAT(message(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678")),
              HasSubstr("element type '<c8' is not supported"));
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "1234")),
              HasSubstr("Fortran order"));
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234")),
              HasSubstr("[2] of '<f4' needs 8 bytes but the file holds 4"));
  EXPECT_THAT(message(npy("{'descr': '<f8', 'fortran_order': False, "
                          "'shape': (4611686018427387904, 8), }",
                          "")),
              HasSubstr("too many"));
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234")),
              HasSubstr("header cannot be read"));
  EXPECT_FALSE(read_npy(scratch("absent.npy")));
}

}  // namespace
}  // namespace frit
