// Finds the sentences of a list that mean most nearly what a given one does, with all-MiniLM-L6-v2
// that frit compiled: plain C++ against the package's header, no framework.
//
//   embed [--top N] [--threads N] LIST.txt SENTENCE
//   embed [--threads N] --vectors | --tokens LIST.txt
//
// Prints the N (3) nearest, one a line: cosine, sentence, separated by a tab. --vectors prints the
// embedding of each sentence of the list instead, --tokens its pieces' numbers, separated by
// spaces. Sentences of more than 128 pieces are cut. Exit code 0, 1 when the network failed, 2 for
// a wrong command line, 3 when the list cannot be read, 5 when the output cannot be written.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "apps/embed/tokenizer.h"
#include "minilm.h"        // made by frit from the model
#include "minilm_vocab.h"  // its vocabulary
#include "ops/base/output_file.h"

namespace {

constexpr std::size_t kTokens = minilm_input_ids_ELEMENTS;
constexpr std::size_t kSize = minilm_embedding_ELEMENTS;

enum class Show { kNearest, kVectors, kTokens };

struct Arguments {
  Show show = Show::kNearest;
  int top = 3;
  int threads = 1;
  std::vector<std::string> words;
};

bool parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--top" && has_value) {
      arguments.top = std::atoi(argv[++i]);
    } else if (word == "--threads" && has_value) {
      arguments.threads = std::atoi(argv[++i]);
    } else if (word == "--vectors") {
      arguments.show = Show::kVectors;
    } else if (word == "--tokens") {
      arguments.show = Show::kTokens;
    } else if (word.starts_with("--")) {
      return false;
    } else {
      arguments.words.push_back(word);
    }
  }
  const std::size_t wanted = arguments.show == Show::kNearest ? 2 : 1;
  return arguments.words.size() == wanted && arguments.top > 0 && arguments.threads > 0;
}

bool read_lines(const std::string& file, std::vector<std::string>& lines) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return stream.eof();
}

/// The compiled network with its memory: all of it given by us, none allocated by the library.
class Embedder {
 public:
  Embedder(const embed::Tokenizer& tokenizer, int threads) : tokenizer_(tokenizer) {
    minilm_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.arena_bytes = minilm_arena_bytes(threads);
    arena_.reset(std::aligned_alloc(minilm_ARENA_ALIGNMENT, options.arena_bytes));
    options.arena = arena_.get();
    code_ = minilm_init(&context_, &options);
  }
  ~Embedder() { minilm_release(&context_); }
  Embedder(const Embedder&) = delete;
  Embedder& operator=(const Embedder&) = delete;

  /// nullptr, or what went wrong.
  const char* fault() const { return code_ == 0 ? nullptr : minilm_error_text(code_); }

  /// Of length one.
  std::vector<float> embedding(const std::string& sentence) {
    std::vector<std::int64_t> tokens = tokenizer_.tokens(sentence, kTokens);
    std::vector<std::int64_t> mask(tokens.size(), 1);
    tokens.resize(kTokens, 0);  // [PAD]
    mask.resize(kTokens, 0);
    std::vector<float> result(kSize);
    minilm_io io = {};
    io.input_ids = tokens.data();
    io.attention_mask = mask.data();
    io.embedding = result.data();
    if (code_ == 0) code_ = minilm_run(&context_, &io);
    return result;
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const embed::Tokenizer& tokenizer_;
  minilm_context context_;
  std::unique_ptr<void, Free> arena_;
  int code_ = 0;
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

void show_nearest(Embedder& embedder, const std::vector<std::string>& list,
                  const std::string& sentence, int top) {
  const std::vector<float> wanted = embedder.embedding(sentence);
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t i = 0; i < list.size(); ++i) {
    found.emplace_back(-cosine(wanted, embedder.embedding(list[i])), i);
  }
  std::sort(found.begin(), found.end());
  if (embedder.fault() != nullptr) return;
  for (std::size_t i = 0; i < std::min(found.size(), static_cast<std::size_t>(top)); ++i) {
    std::printf("%.4f\t%s\n", -found[i].first, list[found[i].second].c_str());
  }
}

void show_vectors(Embedder& embedder, const std::vector<std::string>& list) {
  for (const std::string& sentence : list) {
    const std::vector<float> vector = embedder.embedding(sentence);
    if (embedder.fault() != nullptr) return;
    for (const float value : vector) std::printf("%.9g ", static_cast<double>(value));
    std::printf("\n");
  }
}

void show_tokens(const embed::Tokenizer& tokenizer, const std::vector<std::string>& list) {
  for (const std::string& sentence : list) {
    for (const std::int64_t token : tokenizer.tokens(sentence, kTokens)) {
      std::printf("%lld ", static_cast<long long>(token));
    }
    std::printf("\n");
  }
}

int failed(const char* why, int code) {
  std::fprintf(stderr, "embed: %s\n", why);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs(
        "usage: embed [--top N] [--threads N] LIST.txt SENTENCE\n"
        "       embed [--threads N] --vectors | --tokens LIST.txt\n",
        stderr);
    return 2;
  }
  std::vector<std::string> list;
  if (!read_lines(arguments.words[0], list)) {
    return failed((arguments.words[0] + " cannot be read; name a text file").c_str(), 3);
  }
  const embed::Tokenizer tokenizer(minilm_vocab());
  if (!tokenizer.fault().empty()) return failed(tokenizer.fault().c_str(), 1);
  if (arguments.show == Show::kTokens) {
    show_tokens(tokenizer, list);
  } else {
    Embedder embedder(tokenizer, arguments.threads);
    if (arguments.show == Show::kVectors) {
      show_vectors(embedder, list);
    } else {
      show_nearest(embedder, list, arguments.words[1], arguments.top);
    }
    if (embedder.fault() != nullptr) return failed(embedder.fault(), 1);
  }
  const std::string fault = frit::finish_stdout();
  return fault.empty() ? 0 : failed(fault.c_str(), 5);
}
