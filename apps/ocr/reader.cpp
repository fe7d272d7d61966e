#include "apps/ocr/reader.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "apps/ocr/boxes.h"
#include "apps/ocr/crop.h"
#include "apps/ocr/network.h"
#include "apps/ocr/order.h"
#include "apps/ocr/page.h"
#include "apps/ocr_common/ctc.h"
#include "apps/ocr_common/line_input.h"
#include "ocr_cls.h"  // the packages and the list of characters are made by frit from the models
#include "ocr_det.h"
#include "ocr_rec.h"
#include "ocr_rec_1280.h"
#include "ocr_rec_640.h"
#include "ocr_rec_characters.h"

namespace ocr {

namespace {

OCR_PACKAGE(Detector, ocr_det, sigmoid_0_tmp_0);
OCR_PACKAGE(Classifier, ocr_cls, save_infer_model_scale_0_tmp_1);
OCR_PACKAGE(Recogniser320, ocr_rec, softmax_11_tmp_0);
OCR_PACKAGE(Recogniser640, ocr_rec_640, softmax_11_tmp_0);
OCR_PACKAGE(Recogniser1280, ocr_rec_1280, softmax_11_tmp_0);

constexpr int kClassifierWidth = 192;
constexpr int kWidest = 1280;
constexpr double kLeastTurnScore = 0.9;  // PP-OCR's: a line is turned only where it is sure
constexpr double kLeastTextScore = 0.5;  // PP-OCR's: below it what was found is hardly text

static_assert(Detector::kInputElements == std::size_t{3} * kDetectorSide * kDetectorSide);
static_assert(Classifier::kInputElements == std::size_t{3} * kLineHeight * kClassifierWidth);
static_assert(Recogniser1280::kInputElements == std::size_t{3} * kLineHeight * kWidest);

/// Adds the time from its making to its end to `total_ms`.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_ms) : total_ms_(total_ms) {}
  ~Stopwatch() {
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - start_;
    total_ms_ += took.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_ms_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// From the map's pixels to the page's. The two scales differ by rounding only.
Rectangle on_page(Rectangle box, const DetectorInput& input) {
  const double scale = std::sqrt(input.scale_x * input.scale_y);
  box.centre = {box.centre.x / input.scale_x, box.centre.y / input.scale_y};
  box.width /= scale;
  box.height /= scale;
  return box;
}

}  // namespace

struct Reader::Networks {
  explicit Networks(int threads)
      : detector(threads), classifier(threads), narrow(threads), middle(threads), wide(threads) {}

  Compiled<Detector> detector;
  Compiled<Classifier> classifier;
  Compiled<Recogniser320> narrow;
  Compiled<Recogniser640> middle;
  Compiled<Recogniser1280> wide;
  std::vector<std::string> names = class_names(ocr_rec_characters());

  std::string fault() const {
    const std::array<const Network*, 5> all = {&detector, &classifier, &narrow, &middle, &wide};
    const std::array<const char*, 5> roles = {"detector", "classifier", "recogniser", "recogniser",
                                              "recogniser"};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]->fault() != nullptr) return std::string(roles[i]) + ": " + all[i]->fault();
    }
    if (Recogniser320::kOutputElements % (names.size() + 1) != 0) {
      return "the character list does not belong to the recogniser";
    }
    return "";
  }
};

namespace {

/// One page's way through the networks.
template <class Networks>
class PassOverPage {
 public:
  PassOverPage(Networks& networks, const Picture& page, Times& times, const Watch& watch)
      : networks_(networks), page_(page), times_(times), watch_(watch) {}

  std::vector<Rectangle> find_boxes() {
    DetectorInput input;
    {
      const Stopwatch stopwatch(times_.boxes_ms);
      input = detector_input(page_);
    }
    const std::vector<int> side = {1, 1, kDetectorSide, kDetectorSide};
    run(networks_.detector, "det", {1, 3, kDetectorSide, kDetectorSide}, input.values, side,
        times_.detector_ms);
    const Stopwatch stopwatch(times_.boxes_ms);
    std::vector<Rectangle> boxes =
        text_boxes(networks_.detector.output().data(), kDetectorSide, kDetectorSide);
    for (Rectangle& box : boxes) box = on_page(box, input);
    return boxes;
  }

  Line read_line(Rectangle box) {
    const std::string number = std::to_string(count_++);
    if (upside_down(box, number)) box = box.half_turned();
    const int natural = line_width(box, kWidest);
    if (natural <= 320) return recognise(networks_.narrow, 320, box, number);
    if (natural <= 640) return recognise(networks_.middle, 640, box, number);
    return recognise(networks_.wide, kWidest, box, number);
  }

 private:
  /// PP-OCR squeezes the whole line into the classifier's width. Four of the 98 lines of apps/pages
  /// without upside_down.png, each at least 24 times as wide as high, were then taken for upside
  /// down; by the middle of the line, at its own aspect, none is.
  bool upside_down(const Rectangle& box, const std::string& number) {
    constexpr double kAspect = static_cast<double>(kClassifierWidth) / kLineHeight;
    const std::vector<float> input = line(middle_of_line(box, kAspect), kClassifierWidth);
    run(networks_.classifier, "cls_" + number, {1, 3, kLineHeight, kClassifierWidth}, input, {1, 2},
        times_.classifier_ms);
    return networks_.classifier.output()[1] > kLeastTurnScore;
  }

  Line recognise(Network& recogniser, int width, const Rectangle& box, const std::string& number) {
    const std::vector<float> input = line(box, width);
    const int classes = static_cast<int>(networks_.names.size()) + 1;
    const int steps = static_cast<int>(recogniser.output().size()) / classes;
    run(recogniser, "rec_" + number, {1, 3, kLineHeight, width}, input, {1, steps, classes},
        times_.recogniser_ms);
    const Stopwatch stopwatch(times_.crop_ms);
    const Reading reading =
        ocr::read_line(recogniser.output().data(), steps, classes, networks_.names);
    return {reading.text, reading.confidence, box};
  }

  std::vector<float> line(const Rectangle& box, int width) {
    const Stopwatch stopwatch(times_.crop_ms);
    return line_input(crop_line(page_, box, width), width);
  }

  void run(Network& network, const std::string& name, const std::vector<int>& shape_in,
           const std::vector<float>& input, const std::vector<int>& shape_out, double& total_ms) {
    {
      const Stopwatch stopwatch(total_ms);
      if (!network.run(input)) return;  // Reader::read asks for faults
    }
    if (!watch_) return;
    watch_(name, "x", shape_in, input);
    watch_(name, "y", shape_out, network.output());
  }

  Networks& networks_;
  const Picture& page_;
  Times& times_;
  const Watch& watch_;
  int count_ = 0;
};

}  // namespace

Reader::Reader(int threads) : networks_(std::make_unique<Networks>(threads)) {}
Reader::~Reader() = default;

int Reader::most_threads() { return Detector::kMostThreads; }

std::string Reader::read(const Picture& page, std::vector<Line>& lines, Times& times,
                         const Watch& watch) {
  std::string fault = networks_->fault();
  if (!fault.empty()) return fault;
  PassOverPage<Networks> pass(*networks_, page, times, watch);
  std::vector<Line> found;
  std::vector<Rectangle> rectangles;  // turned as the classifier says
  for (const Rectangle& box : pass.find_boxes()) {
    Line line = pass.read_line(box);
    fault = networks_->fault();
    if (!fault.empty()) return fault;
    if (line.score < kLeastTextScore) continue;
    rectangles.push_back(line.rectangle);
    found.push_back(std::move(line));
  }
  for (const std::size_t i : reading_order(rectangles)) lines.push_back(std::move(found[i]));
  return networks_->fault();
}

}  // namespace ocr
