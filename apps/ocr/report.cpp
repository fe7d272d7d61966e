#include "apps/ocr/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace ocr {

namespace {

double rounded(double value, double step) { return std::round(value * step) / step; }

double angle_of(Point right) {
  const double angle = rounded(std::atan2(right.y, right.x) * 180 / std::numbers::pi, 10);
  return angle <= -180 ? 180.0 : angle + 0.0;  // no -0
}

double on_page(double at, int length) {
  return rounded(std::clamp(at, 0.0, static_cast<double>(length)), 10);
}

nlohmann::ordered_json line_json(const Line& line, const Picture& page) {
  nlohmann::ordered_json box = nlohmann::ordered_json::array();
  for (const Point& corner : line.rectangle.corners()) {
    box.push_back({on_page(corner.x, page.width), on_page(corner.y, page.height)});
  }
  return {{"text", line.text},
          {"score", rounded(line.score, 10000)},
          {"box", box},
          {"angle", angle_of(line.rectangle.right)}};
}

}  // namespace

std::string report_json(const std::string& file, const Picture& page,
                        const std::vector<Line>& lines) {
  // A file's name may be no UTF-8.
  const auto dumped = [](const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const nlohmann::ordered_json about = {
      {"file", file}, {"width", page.width}, {"height", page.height}};
  std::string text = "{\"schema\":\"frit.ocr/1\",\n\"page\":" + dumped(about) + ",\n\"lines\":[";
  const char* separator = "\n";
  for (const Line& line : lines) {
    text += separator + dumped(line_json(line, page));
    separator = ",\n";
  }
  return text + "]}\n";
}

}  // namespace ocr
