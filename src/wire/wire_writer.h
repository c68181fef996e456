// Fields of a protobuf message, written one after another: for messages that are put together from
// parts which are already bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

inline void AppendVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

inline void AppendNumber(std::string& out, uint32_t field, uint64_t value) {
  AppendVarint(out, uint64_t{field} << 3);
  AppendVarint(out, value);
}

// The tag and length of a string, bytes or message field; its `size` bytes are to follow.
inline void AppendFieldHead(std::string& out, uint32_t field, size_t size) {
  AppendVarint(out, uint64_t{field} << 3 | 2);
  AppendVarint(out, size);
}

inline void AppendField(std::string& out, uint32_t field, absl::string_view bytes) {
  AppendFieldHead(out, field, bytes.size());
  out.append(bytes.data(), bytes.size());
}

}  // namespace holdfast
