// What stands at a path of field numbers in a serialized message whose types we do not generate.
//
// Fields of another wire type than asked for are no such fields, as in protobuf, and bytes that are
// broken end where they break: whoever must know asks IsMessage first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "wire/wire_reader.h"

namespace holdfast {

// Whether the fields of this level can be told apart.
inline bool IsMessage(absl::string_view bytes) {
  WireReader reader(bytes);
  for (WireField field; reader.Next(field);) {
  }
  return !reader.is_broken();
}

// Each message, string or bytes at the end of the path, in order.
inline void ForEachAt(absl::string_view message, std::initializer_list<uint32_t> path,
                      absl::FunctionRef<void(absl::string_view)> visit) {
  const auto walk = [&visit](const auto& self, absl::string_view bytes, const uint32_t* field,
                             const uint32_t* end) -> void {
    if (field == end) return visit(bytes);
    WireReader reader(bytes);
    for (WireField found; reader.Next(found);) {
      if (found.Is(*field)) self(self, found.bytes, field + 1, end);
    }
  };
  walk(walk, message, path.begin(), path.end());
}

// The last one, which is the one that counts; nullopt if there is none.
inline std::optional<absl::string_view> FieldAt(absl::string_view message,
                                                std::initializer_list<uint32_t> path) {
  std::optional<absl::string_view> last;
  ForEachAt(message, path, [&last](absl::string_view bytes) { last = bytes; });
  return last;
}

inline absl::string_view TextAt(absl::string_view message, std::initializer_list<uint32_t> path) {
  return FieldAt(message, path).value_or("");
}

// The number in this field; 0, as in proto3, if it is not there.
inline uint64_t NumberAt(absl::string_view message, uint32_t number) {
  uint64_t last = 0;
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number == number && field.type == WireType::kVarint) last = field.varint;
  }
  return last;
}

}  // namespace holdfast
