#include "tests/support/wire_tree.h"

#include <map>
#include <stdexcept>
#include <utility>

namespace frit::testing {
namespace {

Wire message_of(Wire parent, int number) {
  static const std::map<std::pair<Wire, int>, Wire> kMessages = {
      {{Wire::kModel, 7}, Wire::kGraph},      {{Wire::kGraph, 1}, Wire::kNode},
      {{Wire::kGraph, 5}, Wire::kTensor},     {{Wire::kGraph, 11}, Wire::kValueInfo},
      {{Wire::kGraph, 12}, Wire::kValueInfo}, {{Wire::kNode, 5}, Wire::kAttribute},
      {{Wire::kAttribute, 5}, Wire::kTensor}, {{Wire::kAttribute, 6}, Wire::kGraph},
      {{Wire::kValueInfo, 2}, Wire::kType},   {{Wire::kType, 1}, Wire::kTensorType},
      {{Wire::kTensorType, 2}, Wire::kShape}, {{Wire::kShape, 1}, Wire::kDim},
  };
  const auto found = kMessages.find({parent, number});
  return found == kMessages.end() ? Wire::kLeaf : found->second;
}

std::uint64_t read_varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("a varint of more than ten bytes");
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  bytes += static_cast<char>(value);
}

std::uint64_t read_fixed(const std::string& bytes, std::size_t& at, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes.at(at++))) << (8 * i);
  }
  return value;
}

}  // namespace

std::vector<WireField> parse_wire(const std::string& bytes, Wire message) {
  std::vector<WireField> fields;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t tag = read_varint(bytes, at);
    WireField field;
    field.number = static_cast<int>(tag >> 3);
    field.wire_type = static_cast<int>(tag & 7);
    if (field.wire_type == 0) {
      field.varint = read_varint(bytes, at);
    } else if (field.wire_type == 2) {
      const std::uint64_t size = read_varint(bytes, at);
      if (size > bytes.size() - at) throw std::runtime_error("a field beyond the message's end");
      field.bytes = bytes.substr(at, size);
      at += size;
      field.message = message_of(message, field.number);
      if (field.message != Wire::kLeaf) {
        field.children = parse_wire(field.bytes, field.message);
        field.bytes.clear();
      }
    } else {
      if (field.wire_type != 1 && field.wire_type != 5) throw std::runtime_error("no wire type");
      field.varint = read_fixed(bytes, at, field.wire_type == 1 ? 8 : 4);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string wire_bytes(const std::vector<WireField>& fields) {
  std::string bytes;
  for (const WireField& field : fields) {
    append_varint(bytes, static_cast<std::uint64_t>(field.number) << 3 |
                             static_cast<std::uint64_t>(field.wire_type));
    if (field.wire_type == 0) {
      append_varint(bytes, field.varint);
    } else if (field.wire_type == 2) {
      const std::string inner =
          field.message == Wire::kLeaf ? field.bytes : wire_bytes(field.children);
      append_varint(bytes, inner.size());
      bytes += inner;
    } else {
      for (int i = 0; i < (field.wire_type == 1 ? 8 : 4); ++i) {
        bytes += static_cast<char>(field.varint >> (8 * i));
      }
    }
  }
  return bytes;
}

}  // namespace frit::testing
