// Reads lines of text in PNG files with the recogniser that frit compiled: plain C++ against the
// package's header and libpng, no framework.
//
//   ocr_line [--bench N] [--threads N] [--logits FILE.f32] PICTURE.png...
//
// Prints one line per picture: file, text, mean confidence, milliseconds of the network (with
// --bench the median of N runs), separated by tabs. --logits writes the last picture's class
// probabilities as raw float32. Exit code 0, 1 when a picture could not be read, 2 for a wrong
// command line, 5 when an output could not be written.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "apps/ocr_common/ctc.h"
#include "apps/ocr_common/line_input.h"
#include "apps/ocr_common/picture.h"
#include "ocr_rec.h"             // made by frit from the model
#include "ocr_rec_characters.h"  // the model's metadata "character"
#include "ops/base/output_file.h"

namespace {

constexpr int kWidth = ocr_rec_x_ELEMENTS / 3 / ocr::kLineHeight;

struct Arguments {
  int bench = 1;
  int threads = 1;
  std::string logits;
  std::vector<std::string> pictures;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--bench" && has_value) {
      arguments.bench = std::atoi(argv[++i]);
    } else if (word == "--threads" && has_value) {
      arguments.threads = std::atoi(argv[++i]);
    } else if (word == "--logits" && has_value) {
      arguments.logits = argv[++i];
    } else if (word.starts_with("-")) {
      return false;
    } else {
      arguments.pictures.push_back(word);
    }
  }
  return !arguments.pictures.empty() && arguments.bench > 0 && arguments.threads > 0;
}

/// The compiled network with its memory: all of it given by us, none allocated by the library.
class Recogniser {
 public:
  explicit Recogniser(int threads) : probabilities_(ocr_rec_softmax_11_tmp_0_ELEMENTS) {
    ocr_rec_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.arena_bytes = ocr_rec_arena_bytes(threads);
    arena_.reset(std::aligned_alloc(ocr_rec_ARENA_ALIGNMENT, options.arena_bytes));
    options.arena = arena_.get();
    code_ = ocr_rec_init(&context_, &options);
  }
  ~Recogniser() { ocr_rec_release(&context_); }
  Recogniser(const Recogniser&) = delete;
  Recogniser& operator=(const Recogniser&) = delete;

  /// nullptr, or what went wrong.
  const char* fault() const { return code_ == 0 ? nullptr : ocr_rec_error_text(code_); }

  void run(const std::vector<float>& input) {
    const ocr_rec_io io = {input.data(), probabilities_.data()};
    code_ = ocr_rec_run(&context_, &io);
  }
  const std::vector<float>& probabilities() const { return probabilities_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  ocr_rec_context context_;
  std::unique_ptr<void, Free> arena_;
  std::vector<float> probabilities_;
  int code_ = 0;
};

double median_ms(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

bool read_one(Recogniser& recogniser, const std::vector<std::string>& names,
              const std::string& file, int runs) {
  ocr::Picture picture;
  const std::string fault = ocr::read_png(file, picture);
  if (!fault.empty()) {
    std::fprintf(stderr, "ocr_line: %s\n", fault.c_str());
    return false;
  }
  const std::vector<float> input = ocr::line_input(picture, kWidth);
  std::vector<double> samples;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    recogniser.run(input);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    samples.push_back(took.count());
  }
  if (recogniser.fault() != nullptr) {
    std::fprintf(stderr, "ocr_line: %s: %s\n", file.c_str(), recogniser.fault());
    return false;
  }
  const int classes = static_cast<int>(names.size()) + 1;
  const ocr::Reading reading =
      ocr::read_line(recogniser.probabilities().data(),
                     static_cast<int>(recogniser.probabilities().size()) / classes, classes, names);
  std::printf("%s\t%s\t%.3f\t%.3f\n", file.c_str(), reading.text.c_str(), reading.confidence,
              median_ms(samples));
  return true;
}

/// Returns "" or a sentence.
std::string write_logits(const std::string& file, const std::vector<float>& values) {
  return frit::write_whole(
      file, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs("usage: ocr_line [--bench N] [--threads N] [--logits FILE.f32] PICTURE.png...\n",
               stderr);
    return 2;
  }
  const std::vector<std::string> names = ocr::class_names(ocr_rec_characters());
  if (ocr_rec_softmax_11_tmp_0_ELEMENTS % (names.size() + 1) != 0) {
    std::fputs("ocr_line: the character list does not belong to this network\n", stderr);
    return 1;
  }
  Recogniser recogniser(arguments.threads);
  if (recogniser.fault() != nullptr) {
    std::fprintf(stderr, "ocr_line: %s\n", recogniser.fault());
    return 1;
  }
  bool good = true;
  for (const std::string& file : arguments.pictures) {
    good = read_one(recogniser, names, file, arguments.bench) && good;
  }
  std::string fault;
  if (!arguments.logits.empty()) fault = write_logits(arguments.logits, recogniser.probabilities());
  if (fault.empty()) fault = frit::finish_stdout();
  if (!fault.empty()) {
    std::fprintf(stderr, "ocr_line: %s\n", fault.c_str());
    return 5;
  }
  return good ? 0 : 1;
}
