#include "generators/onnx/external_data.h"

#include <gtest/gtest.h>
#include <onnx.pb.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "generators/onnx/import.h"
#include "generators/onnx/tensor_reader.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

namespace fs = std::filesystem;

// A folder with weights.bin: the floats 1, 2, 3, 4.
class ExternalDataTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("frit_external_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "model");
    const float values[] = {1, 2, 3, 4};
    std::ofstream(folder_ / "model/weights.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(values), sizeof(values));
    std::ofstream(folder_ / "secret.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(values), sizeof(values));
  }
  void TearDown() override { fs::remove_all(folder_); }

  static onnx::TensorProto pointing_to(const std::string& location, std::int64_t elements,
                                       const std::string& offset = "",
                                       const std::string& length = "") {
    onnx::TensorProto proto;
    proto.set_data_type(onnx::TensorProto::FLOAT);
    proto.add_dims(elements);
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      auto* entry = proto.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    add("length", length);
    return proto;
  }

  Result<Tensor> read(const onnx::TensorProto& proto) {
    ExternalData external(folder_ / "model");
    return read_tensor(proto, "initializer 'w'", &external);
  }
  std::string refusal(const onnx::TensorProto& proto) {
    const Result<Tensor> tensor = read(proto);
    return tensor ? "" : tensor.error().message;
  }

  fs::path folder_;
};

TEST_F(ExternalDataTest, ReadsAWindow) {
  EXPECT_EQ(read(pointing_to("weights.bin", 4))->to_doubles(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(read(pointing_to("weights.bin", 2, "4", "8"))->to_doubles(),
            (std::vector<double>{2, 3}));
  EXPECT_EQ(read(pointing_to("./weights.bin", 1, "12"))->to_doubles(), std::vector<double>{4});
}

TEST_F(ExternalDataTest, StaysInsideTheFolder) {
  EXPECT_EQ(refusal(pointing_to("../secret.bin", 1)),
            "initializer 'w': its external data is at '../secret.bin', outside the model's folder; "
            "put the file beside the model and give a relative location");
  EXPECT_NE(refusal(pointing_to((folder_ / "secret.bin").string(), 1)).find("outside the model's"),
            std::string::npos);
  EXPECT_NE(refusal(pointing_to("a/../weights.bin", 1)), "");
  fs::create_symlink(folder_ / "secret.bin", folder_ / "model/link.bin");
  EXPECT_EQ(
      refusal(pointing_to("link.bin", 1)),
      "initializer 'w': its external data 'link.bin' is a link out of the model's folder; put "
      "the file itself beside the model");
}

TEST_F(ExternalDataTest, StaysInsideTheFile) {
  EXPECT_EQ(refusal(pointing_to("weights.bin", 5)),
            "initializer 'w': it is bytes 0 to 20 of 'weights.bin', which has 16 bytes; bring the "
            "data file that belongs to the model");
  EXPECT_EQ(refusal(pointing_to("weights.bin", 1, "9223372036854775807")),
            "initializer 'w': it is bytes 9223372036854775807 to 9223372036854775811 of "
            "'weights.bin', which has 16 bytes; bring the data file that belongs to the model");
  EXPECT_EQ(refusal(pointing_to("weights.bin", 2, "-4")),
            "initializer 'w': its external data has the offset '-4', which is no whole number; "
            "save the model and its data again");
  EXPECT_EQ(refusal(pointing_to("weights.bin", 2, "0", "4")),
            "initializer 'w': its shape needs 8 bytes but its external data has length 4; save the "
            "model and its data again");
}

TEST_F(ExternalDataTest, NamesAMissingFileAFolderAndAMissingLocation) {
  EXPECT_EQ(refusal(pointing_to("gone.bin", 1)),
            "initializer 'w': its external data file 'gone.bin' does not exist; it must lie beside "
            "the model");
  fs::create_directory(folder_ / "model/folder");
  EXPECT_EQ(
      refusal(pointing_to("folder", 1)),
      "initializer 'w': its external data 'folder' is not a regular file; put the data file there");
  EXPECT_EQ(
      refusal(pointing_to("", 1)),
      "initializer 'w': its external data has no location; save the model and its data again");
}

TEST_F(ExternalDataTest, SharesEqualWindowsAndBoundsOverlappingOnes) {
  ExternalData external(folder_ / "model");
  const auto whole = pointing_to("weights.bin", 4);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(read_tensor(whole, "t", &external));
  std::string last;
  for (int i = 0; i < 100 && last.empty(); ++i) {
    const auto window = pointing_to("weights.bin", 3 - i % 3, std::to_string(i % 5));
    const Result<Tensor> tensor = read_tensor(window, "t", &external);
    if (!tensor) last = tensor.error().message;
  }
  EXPECT_EQ(last,
            "t: tensors over 'weights.bin' overlap to more than four times its 16 bytes; save the "
            "model and its data again");
}

TEST_F(ExternalDataTest, IsFoundBesideTheModelFile) {
  testing::ModelBuilder m;
  m.input("x", {2}).node("Add", {"x", "w"}, {"y"}).output("y");
  *m.graph().add_initializer() = pointing_to("weights.bin", 2, "8");
  m.graph().mutable_initializer(0)->set_name("w");
  std::ofstream(folder_ / "model/m.onnx", std::ios::binary) << m.bytes();
  const auto graph = import_model(folder_ / "model/m.onnx", {});
  ASSERT_TRUE(graph);
  EXPECT_NE(to_text(*graph).find("const w f32[2] = [3,4]"), std::string::npos);
}

TEST_F(ExternalDataTest, IsForInitializersAlone) {
  testing::ModelBuilder m;
  m.node("Constant", {}, {"y"}, {}, "c").output("y");
  auto* attribute = m.graph().mutable_node(0)->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  *attribute->mutable_t() = pointing_to("weights.bin", 2);
  EXPECT_EQ(
      m.refusal(),
      "error: node 'c' (Constant): attribute 'value' keeps its data in another file, which only an "
      "initializer may do; save it inside the model [onnx-external-data]\n");
}

}  // namespace
}  // namespace frit
