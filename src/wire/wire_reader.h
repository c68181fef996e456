// Walks the fields of one serialized protobuf message, without knowing its type and without
// copying. Accepts exactly the bytes that protobuf's own parser accepts at this level.
//
//   WireReader reader(bytes);
//   WireField field;
//   while (reader.Next(field)) { ... }
//   if (reader.is_broken()) ...  // what came before may have been read, but must not be used
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace holdfast {

enum class WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kGroup = 3, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t varint = 0;      // of kVarint
  absl::string_view bytes;  // of kLengthDelimited

  // A string, bytes or message field of this number. Any other wire type under a known number is
  // an unknown field, as in protobuf.
  bool Is(uint32_t wanted) const { return number == wanted && type == WireType::kLengthDelimited; }
};

class WireReader {
 public:
  explicit WireReader(absl::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // False at the end and when the bytes are broken.
  bool Next(WireField& field) {
    if (at_ == end_) return false;
    const char* const start = at_;
    if (!ReadTag(field)) return BreakAt(start);
    switch (field.type) {
      case WireType::kVarint:
        return ReadVarint(field.varint) || BreakAt(start);
      case WireType::kLengthDelimited:
        return ReadBytes(field.bytes) || BreakAt(start);
      case WireType::kFixed64:
        return Skip(8) || BreakAt(start);
      case WireType::kFixed32:
        return Skip(4) || BreakAt(start);
      case WireType::kGroup:
        return SkipGroup(field.number) || BreakAt(start);
    }
    return BreakAt(start);
  }

  bool is_broken() const { return is_broken_; }
  // What was not read: from the broken field on, if one is.
  absl::string_view unread() const {
    const char* const from = is_broken_ ? broken_at_ : at_;
    return absl::string_view(from, static_cast<size_t>(end_ - from));
  }

 private:
  bool BreakAt(const char* field) {
    is_broken_ = true;
    broken_at_ = field;
    at_ = end_;
    return false;
  }

  size_t left() const { return static_cast<size_t>(end_ - at_); }

  // A number of at most `most` bytes; protobuf drops the bits beyond 64.
  bool ReadNumber(int most, uint64_t& value) {
    value = 0;
    for (int i = 0; i < most; ++i) {
      if (at_ == end_) return false;
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool ReadVarint(uint64_t& value) { return ReadNumber(10, value); }

  bool ReadTag(WireField& field) {
    uint64_t number = 0;
    if (!ReadNumber(5, number)) return false;
    const auto tag = static_cast<uint32_t>(number);
    field.number = tag >> 3;
    const uint32_t type = tag & 7;
    // 4 ends a group that we are not in; 6 and 7 do not exist.
    if (field.number == 0 || type == 4 || type > 5) return false;
    field.type = static_cast<WireType>(type);
    return true;
  }

  // Never trusts a length: it is compared with what is left before anything is read.
  bool ReadBytes(absl::string_view& bytes) {
    uint64_t length = 0;
    if (!ReadNumber(5, length) || length > left()) return false;
    bytes = absl::string_view(at_, static_cast<size_t>(length));
    at_ += length;
    return true;
  }

  bool Skip(size_t count) {
    if (count > left()) return false;
    at_ += count;
    return true;
  }

  // In wire_reader.cc: nobody has sent a group for years, except to break us.
  bool SkipGroup(uint32_t number);

  const char* at_;
  const char* end_;
  const char* broken_at_ = nullptr;
  bool is_broken_ = false;
};

// How many bytes must follow for the first field of `bytes` to be whole, as far as can be told: 0
// if it is, or if no bytes can mend it. kUnknownSize for a group, which only its end ends.
inline constexpr size_t kUnknownSize = ~size_t{0};
size_t MissingOfFirstField(absl::string_view bytes);

}  // namespace holdfast
