// Seeds and dictionaries of the targets npy and report.
//
// usage: frit_fuzz_file_seeds FOLDER     writes FOLDER/{npy,report}/*, FOLDER/*.dict
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/frit/npy.h"
#include "generators/emit/kernel_json.h"
#include "tests/fuzz/seed_files.h"

namespace frit::testing {
namespace {

void write_arrays(const fs::path& folder) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kI64, DType::kU8,
                            DType::kBool, DType::kBF16}) {
    for (const std::vector<std::int64_t>& dims :
         {std::vector<std::int64_t>{}, {3}, {2, 1, 3}, {0, 4}}) {
      const TensorType type(dtype, dims);
      auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(type.bytes()),
                                                            std::byte{1});
      write(folder / (std::string(name_of(dtype)) + "_" + std::to_string(dims.size())),
            npy_bytes(Tensor(dtype, dims, std::move(bytes))));
    }
  }
}

void write_reports(const fs::path& folder) {
  write(folder / "report", R"({"schema":"frit.report/1","model":{"name":"m","c_name":"m",
"sha256":"00"},"target":"x86-64-linux","threads":2,"cpu_levels":[{"name":"baseline","number":1},
{"name":"avx2","number":2}],"inputs":[{"name":"x","dtype":"f32","shape":[1,3,8]}],"outputs":[
{"name":"y","dtype":"i64","shape":[0]}],"groups":[{"onnx_nodes":["a","b"],"schedule":{"name":
"s.sched","sha256":"ff"}}],"weights":{"kind":"external","file":"m.weights"}})");
  Kernel kernel;
  kernel.symbol = "frit_conv2d_0";
  kernel.schedule_name = "default";
  kernel.arguments.push_back({});
  kernel.arguments.back().dims = {{-1, 10, 1}, {0, 3, 10}};
  write(folder / "record", kernel_to_json(kernel).dump());
}

}  // namespace
}  // namespace frit::testing

int main(int count, char** arguments) {
  using namespace frit::testing;
  if (count != 2) {
    std::cerr << "usage: frit_fuzz_file_seeds FOLDER\n";
    return 2;
  }
  const fs::path folder = arguments[1];
  write_arrays(folder / "npy");
  write_reports(folder / "report");
  write_dictionary(folder / "npy.dict",
                   {"\\x93NUMPY", "'descr': '", "'fortran_order': ", "True", "'shape': (", "<f4",
                    "<i8", "|b1", "|u1", ">f4", "9223372036854775807", "4294967296", "0, "});
  write_dictionary(
      folder / "report.dict",
      {"\\\"c_name\\\":", "\\\"shape\\\":[", "\\\"dtype\\\":", "\\\"threads\\\":",
       "\\\"number\\\":", "\\\"file\\\":", "\\\"dims\\\":[", "1e300", "-1", "4294967297",
       "2147483647", "18446744073709551615", "null", "true", "\\xff", "avx2"});
  return 0;
}
