#include "control/catalog/content_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/strings/str_format.h"

namespace holdfast {

std::string ContentHash::Hex() const { return absl::StrFormat("%016x%016x", high, low); }

ContentHash& ContentHash::operator+=(const ContentHash& other) {
  high += other.high;
  low += other.low;
  return *this;
}

ContentHash& ContentHash::operator-=(const ContentHash& other) {
  high -= other.high;
  low -= other.low;
  return *this;
}

ContentHash HashOf(absl::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

}  // namespace holdfast
