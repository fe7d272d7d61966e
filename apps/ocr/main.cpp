// Reads a page of text in a PNG file with PP-OCR's networks, which frit compiled: plain C++ against
// the packages' headers and libpng, no framework.
//
//   ocr PAGE.png [--json FILE|-] [--annotate FILE.png] [--threads N] [--times] [--dump FOLDER]
//
// Exit code 0 (a page without text is an empty list), 2 for a wrong command line, 3 when the page
// is missing, no PNG or too large, 5 when a network failed or an output could not be written.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "apps/ocr/annotate.h"
#include "apps/ocr/npy.h"
#include "apps/ocr/options.h"
#include "apps/ocr/reader.h"
#include "apps/ocr/report.h"
#include "apps/ocr_common/picture.h"

namespace {

constexpr int kSuccess = 0, kCommandLine = 2, kRejected = 3, kRun = 5;

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "ocr: %s\n", message.c_str());
  return code;
}

bool write_text(const std::string& path, const std::string& text) {
  std::FILE* const stream = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (stream == nullptr) return false;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return (stream == stdout ? std::fflush(stream) : std::fclose(stream)) == 0 && whole;
}

std::string plain_text(const std::vector<ocr::Line>& lines) {
  std::string text;
  for (const ocr::Line& line : lines) text += line.text + "\n";
  return text;
}

void print_times(const ocr::Times& times, std::size_t lines) {
  std::fprintf(stderr,
               "detector %.2f ms, boxes %.2f ms; %zu lines: crops %.2f ms, classifier %.2f ms, "
               "recogniser %.2f ms\n",
               times.detector_ms, times.boxes_ms, lines, times.crop_ms, times.classifier_ms,
               times.recogniser_ms);
}

/// Writes each tensor into the folder; `fault` tells of the first that could not be written.
ocr::Watch dump_into(const std::string& folder, std::string& fault) {
  if (folder.empty()) return nullptr;
  return [folder, &fault](const std::string& network, const std::string& tensor,
                          const std::vector<int>& shape, const std::vector<float>& values) {
    if (!fault.empty()) return;
    const std::string path = folder + "/" + network + "." + tensor + ".npy";
    const std::string reason = ocr::write_npy(path, shape, values);
    if (!reason.empty()) fault = path + ": " + reason;
  };
}

/// Writes what was asked for. Returns "" or what could not be written.
std::string write_outputs(const ocr::Options& options, ocr::Picture& page,
                          const std::vector<ocr::Line>& lines) {
  if (!options.json.empty() &&
      !write_text(options.json, ocr::report_json(options.page, page, lines))) {
    return options.json + ": cannot be written";
  }
  if (options.json != "-" && !write_text("-", plain_text(lines))) {
    return "standard output: cannot be written";
  }
  if (options.annotate.empty()) return "";
  ocr::annotate(page, lines);
  const std::string fault = ocr::write_png(options.annotate, page);
  return fault.empty() ? "" : options.annotate + ": " + fault;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(ocr::kUsage, stdout);
    return kSuccess;
  }
  ocr::Options options;
  std::string fault = ocr::parse_options(argc, argv, ocr::Reader::most_threads(), options);
  if (!fault.empty()) return fail(kCommandLine, fault + "\n" + ocr::kUsage);

  ocr::Picture page;
  fault = ocr::read_png(options.page, page);
  if (!fault.empty()) {
    return fail(kRejected, options.page + ": " + fault +
                               "; a page is a PNG file of at most 64 million pixels");
  }
  ocr::Reader reader(options.threads);
  std::vector<ocr::Line> lines;
  ocr::Times times;
  std::string dump_fault;
  fault = reader.read(page, lines, times, dump_into(options.dump, dump_fault));
  if (!fault.empty()) return fail(kRun, options.page + ": " + fault);
  if (!dump_fault.empty()) return fail(kRun, dump_fault);
  if (options.times) print_times(times, lines.size());
  fault = write_outputs(options, page, lines);
  return fault.empty() ? kSuccess : fail(kRun, fault);
}
