#include "apps/ocr_common/picture.h"

#include <png.h>

#include "ops/base/output_file.h"

namespace ocr {

namespace {

constexpr std::uint64_t kMostPixels = 64'000'000;

std::string cannot_read(const std::string& path, const std::string& why) {
  return "cannot read '" + path + "': " + why +
         "; give a whole PNG file of at most 64 million pixels";
}

}  // namespace

std::string read_png(const std::string& path, Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
    return cannot_read(path, image.message);
  }
  if (std::uint64_t{image.width} * image.height > kMostPixels) {
    png_image_free(&image);
    return cannot_read(path, std::to_string(image.width) + " x " + std::to_string(image.height) +
                                 " pixels are too many");
  }
  image.format = PNG_FORMAT_BGR;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // else 16 bits without gamma are taken for linear
  picture.height = static_cast<int>(image.height);
  picture.width = static_cast<int>(image.width);
  picture.bgr.resize(PNG_IMAGE_SIZE(image));
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.bgr.data(), 0, nullptr) == 0) {
    return cannot_read(path, image.message);
  }
  return "";
}

std::string write_png(const std::string& path, const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_BGR;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(bytes, '\0');
  if (png_image_write_to_memory(&image, file.data(), &bytes, 0, picture.bgr.data(), 0, nullptr) ==
      0) {
    return "cannot make a PNG of the picture for '" + path + "': " + image.message +
           "; please report it";
  }
  file.resize(bytes);
  return frit::write_whole(path, file);
}

}  // namespace ocr
