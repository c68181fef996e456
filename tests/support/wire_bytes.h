// Protobuf messages written byte by byte, for tests that need what no protobuf library would write.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace holdfast {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes += static_cast<char>(value);
  return bytes;
}

inline std::string Tag(uint32_t field, uint32_t wire_type) {
  return Varint(uint64_t{field} << 3 | wire_type);
}

// A string, bytes or message field.
inline std::string Field(uint32_t field, absl::string_view bytes) {
  return absl::StrCat(Tag(field, 2), Varint(bytes.size()), bytes);
}

inline std::string NumberField(uint32_t field, uint64_t value) {
  return absl::StrCat(Tag(field, 0), Varint(value));
}

inline std::string Any(absl::string_view type_url, absl::string_view value) {
  return absl::StrCat(Field(1, type_url), Field(2, value));
}

}  // namespace holdfast
