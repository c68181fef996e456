// What a thing says, as a number: equal bytes have equal hashes on every machine and in every
// release, so versions made of them can be compared between replicas.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

struct ContentHash {
  uint64_t high = 0;
  uint64_t low = 0;

  // 32 hexadecimal digits.
  std::string Hex() const;

  // Of a set: the order in which its members were added does not matter, and a member that is
  // subtracted was never there.
  ContentHash& operator+=(const ContentHash& other);
  ContentHash& operator-=(const ContentHash& other);

  friend bool operator==(const ContentHash&, const ContentHash&) = default;
  friend auto operator<=>(const ContentHash&, const ContentHash&) = default;
};

ContentHash HashOf(absl::string_view bytes);

}  // namespace holdfast
