#include "wire/wire_reader.h"

namespace holdfast {
namespace {

constexpr size_t kDeepestGroup = 100;  // protobuf's own limit

constexpr uint32_t kEndGroup = 4;

enum class Number { kWhole, kCut, kBroken };

// Takes a number of at most `most` bytes from the front.
Number TakeNumber(absl::string_view& bytes, size_t most, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < most; ++i) {
    if (i == bytes.size()) return Number::kCut;
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return Number::kWhole;
    }
  }
  return Number::kBroken;
}

}  // namespace

size_t MissingOfFirstField(absl::string_view bytes) {
  uint64_t tag = 0;
  uint64_t size = 0;
  Number last = TakeNumber(bytes, 5, tag);
  if (last != Number::kWhole) return last == Number::kCut ? 1 : 0;
  switch (tag & 7) {
    case 0:
      last = TakeNumber(bytes, 10, size);
      return last == Number::kCut ? 1 : 0;
    case 1:
      size = 8;
      break;
    case 2:
      last = TakeNumber(bytes, 5, size);
      if (last != Number::kWhole) return last == Number::kCut ? 1 : 0;
      break;
    case 3:
      return kUnknownSize;
    case 5:
      size = 4;
      break;
    default:
      return 0;
  }
  return size > bytes.size() ? static_cast<size_t>(size) - bytes.size() : 0;
}

bool WireReader::SkipGroup(uint32_t number) {
  // A stack of open groups instead of recursion: the bytes decide how deep it gets.
  uint32_t open[kDeepestGroup];
  size_t depth = 0;
  open[depth++] = number;
  while (depth > 0) {
    uint64_t tag = 0;
    if (!ReadNumber(5, tag)) return false;
    const auto inner = static_cast<uint32_t>(tag) >> 3;
    const auto type = static_cast<uint32_t>(tag) & 7;
    if (inner == 0) return false;
    if (type == kEndGroup) {
      if (open[--depth] != inner) return false;
      continue;
    }
    uint64_t ignored_number = 0;
    absl::string_view ignored_bytes;
    switch (type) {
      case 0:
        if (!ReadVarint(ignored_number)) return false;
        break;
      case 1:
        if (!Skip(8)) return false;
        break;
      case 2:
        if (!ReadBytes(ignored_bytes)) return false;
        break;
      case 3:
        if (depth == kDeepestGroup) return false;
        open[depth++] = inner;
        break;
      case 5:
        if (!Skip(4)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace holdfast
