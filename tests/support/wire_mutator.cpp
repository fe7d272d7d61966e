#include "tests/support/wire_mutator.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/wire_tree.h"

namespace frit::testing {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

std::uint64_t extreme(Random& random) {
  static constexpr std::int64_t kValues[] = {0,
                                             1,
                                             -1,
                                             2,
                                             -2,
                                             7,
                                             255,
                                             65536,
                                             2147483647,
                                             2147483648,
                                             1000000007,
                                             std::int64_t{1} << 40,
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min()};
  return static_cast<std::uint64_t>(kValues[below(random, std::size(kValues))]);
}

// Half of them small, since a file with an extreme is mostly refused at once.
std::uint64_t number(Random& random) {
  if (below(random, 2) == 0) return extreme(random);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(below(random, 20)) - 4);
}

std::uint32_t extreme_float(Random& random) {
  static constexpr std::uint32_t kBits[] = {0,          0x80000000, 0x7F800000, 0x7FC00000,
                                            0x00000001, 0x7F7FFFFF, 0x3F800000, 0xC0000000};
  return kBits[below(random, std::size(kBits))];
}

// Every short text of the file: names of values and nodes, operators, attributes.
void collect_texts(const std::vector<WireField>& fields, std::vector<std::string>& texts) {
  for (const WireField& field : fields) {
    if (field.wire_type == 2 && field.message == Wire::kLeaf && field.bytes.size() < 24) {
      texts.push_back(field.bytes);
    }
    collect_texts(field.children, texts);
  }
}

// Tensor data: one element of four or eight bytes.
void mutate_element(std::string& bytes, Random& random) {
  const std::size_t width = bytes.size() % 8 == 0 && below(random, 2) == 0 ? 8 : 4;
  const std::uint64_t value =
      width == 8 || below(random, 2) == 0 ? number(random) : extreme_float(random);
  std::memcpy(bytes.data() + below(random, bytes.size() / width) * width, &value, width);
}

void mutate_leaf(WireField& field, const std::vector<std::string>& texts, Random& random) {
  if (field.wire_type == 5) {
    field.varint = extreme_float(random);
  } else if (field.wire_type != 2) {
    field.varint = number(random);
  } else if (field.bytes.size() >= 8 && below(random, 2) == 0) {
    mutate_element(field.bytes, random);
  } else {
    field.bytes = texts.empty() || below(random, 8) == 0 ? "" : texts[below(random, texts.size())];
  }
}

// Walks down from the graph to a field and removes, repeats, moves or changes it.
void mutate_field(std::vector<WireField>& model, const std::vector<std::string>& texts,
                  Random& random) {
  std::vector<WireField>* fields = &model;
  for (;;) {
    if (fields->empty()) return;
    WireField& field = (*fields)[below(random, fields->size())];
    if (field.message != Wire::kLeaf && !field.children.empty() &&
        (fields == &model || below(random, 5) > 0)) {
      fields = &field.children;
      continue;
    }
    const auto place = fields->begin() + (&field - fields->data());
    switch (below(random, 6)) {
      case 0:
        fields->erase(place);
        return;
      case 1: {
        const WireField copy = field;
        fields->insert(place, copy);
        return;
      }
      case 2:
        std::swap(field, (*fields)[below(random, fields->size())]);
        return;
      default:
        mutate_leaf(field, texts, random);
        return;
    }
  }
}

}  // namespace

std::string mutate_bytes(std::string bytes, Random& random) {
  const std::size_t times = 1 + below(random, 4);
  for (std::size_t i = 0; i < times && !bytes.empty(); ++i) {
    const std::size_t at = below(random, bytes.size());
    const std::size_t length = 1 + below(random, 16);
    switch (below(random, 5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random());
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(below(random, bytes.size()), bytes.substr(at, length));
        break;
    }
  }
  return bytes;
}

std::string mutate_fields(const std::string& model, const std::vector<std::string>& words,
                          Random& random) {
  try {
    std::vector<WireField> fields = parse_wire(model, Wire::kModel);
    std::vector<std::string> texts;
    collect_texts(fields, texts);
    // Names of the file and words of the language alike often.
    for (std::size_t i = texts.size(); i > 0 && !words.empty(); --i) {
      texts.push_back(words[below(random, words.size())]);
    }
    for (std::size_t times = 1 + below(random, 3); times > 0; --times) {
      mutate_field(fields, texts, random);
    }
    return wire_bytes(fields);
  } catch (const std::exception&) {
    return model;
  }
}

}  // namespace frit::testing
