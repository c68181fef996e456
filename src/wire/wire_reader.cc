#include "wire/wire_reader.h"

namespace holdfast {
namespace {

constexpr size_t kDeepestGroup = 100;  // protobuf's own limit

constexpr uint32_t kEndGroup = 4;

}  // namespace

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
