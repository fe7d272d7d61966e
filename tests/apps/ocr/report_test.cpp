#include "apps/ocr/report.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

const Picture kPage = {50, 100, {}};

TEST(Report, OfAPageWithoutTextIsAnEmptyList) {
  EXPECT_EQ(report_json("a.png", kPage, {}),
            "{\"schema\":\"frit.ocr/1\",\n"
            "\"page\":{\"file\":\"a.png\",\"width\":100,\"height\":50},\n\"lines\":[]}\n");
}

TEST(Report, SaysTextScoreCornersOnThePageAndAngle) {
  const Line line = {"\"界\"", 0.98765, {{50, 10}, {-1, 0}, 120, 10}};
  EXPECT_EQ(report_json("a.png", kPage, {line, line}),
            "{\"schema\":\"frit.ocr/1\",\n"
            "\"page\":{\"file\":\"a.png\",\"width\":100,\"height\":50},\n\"lines\":[\n"
            "{\"text\":\"\\\"界\\\"\",\"score\":0.9877,\"box\":[[100.0,15.0],[0.0,15.0],[0.0,5.0],"
            "[100.0,5.0]],\"angle\":180.0},\n"
            "{\"text\":\"\\\"界\\\"\",\"score\":0.9877,\"box\":[[100.0,15.0],[0.0,15.0],[0.0,5.0],"
            "[100.0,5.0]],\"angle\":180.0}]}\n");
}

TEST(Report, TakesNamesThatAreNoUtf8) {
  EXPECT_NE(report_json("\xff.png", kPage, {}).find("\"file\":\"\xEF\xBF\xBD.png\""),
            std::string::npos);
}

}  // namespace
}  // namespace ocr
