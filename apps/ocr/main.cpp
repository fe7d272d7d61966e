// Reads a page of text in a PNG file with PP-OCR's networks, which frit compiled: plain C++ against
// the packages' headers and libpng, no framework.
//
//   ocr PAGE.png [--json FILE|-] [--annotate FILE.png] [--threads N] [--times] [--dump FOLDER]
//
// Exit code 0 (a page without text is an empty list), 2 for a wrong command line, 3 when the page
// is missing, no PNG or too large, 5 when a network failed or an output could not be written.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "apps/ocr/annotate.h"
#include "apps/ocr/npy.h"
#include "apps/ocr/options.h"
#include "apps/ocr/reader.h"
#include "apps/ocr/report.h"
#include "apps/ocr_common/picture.h"
#include "ops/base/output_file.h"

namespace {

constexpr int kSuccess = 0, kCommandLine = 2, kRejected = 3, kRun = 5;

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "ocr: %s\n", message.c_str());
  return code;
}

/// Returns "" or a sentence. "-" is standard output.
std::string write_text(const std::string& path, const std::string& text) {
  if (path != "-") return frit::write_whole(path, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return frit::finish_stdout();
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
    fault = ocr::write_npy(folder + "/" + network + "." + tensor + ".npy", shape, values);
  };
}

/// Writes what was asked for. Returns "" or what could not be written.
std::string write_outputs(const ocr::Options& options, ocr::Picture& page,
                          const std::vector<ocr::Line>& lines) {
  std::string fault;
  if (!options.json.empty()) {
    fault = write_text(options.json, ocr::report_json(options.page, page, lines));
  }
  if (fault.empty() && options.json != "-") fault = write_text("-", plain_text(lines));
  if (!fault.empty() || options.annotate.empty()) return fault;
  ocr::annotate(page, lines);
  return ocr::write_png(options.annotate, page);
}

/// "" or which output would be written over the page or over the other.
std::string clash(const ocr::Options& options) {
  for (const std::string& output : {options.json, options.annotate}) {
    if (!output.empty() && frit::same_file(output, options.page)) {
      return "'" + output + "' is the page that is read; name another file to write";
    }
  }
  const bool both = !options.json.empty() && options.json == options.annotate;
  return both ? "--json and --annotate both name '" + options.json + "'; give each its own file" : "";
}

int read_page(const ocr::Options& options) {
  ocr::Picture page;
  std::string fault = ocr::read_png(options.page, page);
  if (!fault.empty()) return fail(kRejected, fault);
  ocr::Reader reader(options.threads);
  std::vector<ocr::Line> lines;
  ocr::Times times;
  std::string dump_fault;
  fault = reader.read(page, lines, times, dump_into(options.dump, dump_fault));
  if (!fault.empty()) return fail(kRun, "'" + options.page + "' cannot be read by the " + fault);
  if (!dump_fault.empty()) return fail(kRun, dump_fault);
  if (options.times) print_times(times, lines.size());
  fault = write_outputs(options, page, lines);
  return fault.empty() ? kSuccess : fail(kRun, fault);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit (ulimit -f) is a failed write
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    const std::string fault = write_text("-", ocr::kUsage);
    return fault.empty() ? kSuccess : fail(kRun, fault);
  }
  ocr::Options options;
  const std::string fault = ocr::parse_options(argc, argv, ocr::Reader::most_threads(), options);
  if (!fault.empty()) return fail(kCommandLine, fault + "\n" + ocr::kUsage);
  if (const std::string twice = clash(options); !twice.empty()) return fail(kCommandLine, twice);
  try {
    return read_page(options);
  } catch (const std::bad_alloc&) {
    return fail(kRun, "'" + options.page +
                          "' needs more memory than there is; close other programs or give a "
                          "smaller picture");
  }
}
