#include "apps/ocr_common/picture.h"

#include <png.h>

namespace ocr {

std::string read_png(const std::string& path, Picture& picture) {
  constexpr std::uint64_t kMostPixels = 64'000'000;
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return image.message;
  if (std::uint64_t{image.width} * image.height > kMostPixels) {
    png_image_free(&image);
    return "more than 64 million pixels";
  }
  image.format = PNG_FORMAT_BGR;
  picture.height = static_cast<int>(image.height);
  picture.width = static_cast<int>(image.width);
  picture.bgr.resize(PNG_IMAGE_SIZE(image));
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.bgr.data(), 0, nullptr) == 0) {
    return image.message;
  }
  return "";
}

std::string write_png(const std::string& path, const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_BGR;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.bgr.data(), 0, nullptr) == 0) {
    return image.message;
  }
  return "";
}

}  // namespace ocr
