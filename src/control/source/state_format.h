// The last good configuration as bytes, to be kept over a restart.
//
//   "HOLDFAST" | format version | length of what follows the checksum | checksum | files...
//
// Numbers are 64 bits, little-endian; texts and lists have their length in front. Whoever changes
// the form counts kStateFormat up: a form that is not ours is not guessed at.
//
// Reading trusts nothing: no length, no count, no value. It never needs more memory than a small
// multiple of the bytes it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "control/source/last_good.h"

namespace holdfast {

inline constexpr uint64_t kStateFormat = 2;
// Bigger ones are neither written nor read.
inline constexpr size_t kMostStateBytes = size_t{1} << 30;

// Equal states give equal bytes.
std::string EncodeState(const LastGood& good);

// DATA_LOSS if it is cut off or not what was written; FAILED_PRECONDITION if it is of another
// format.
absl::StatusOr<LastGood> DecodeState(absl::string_view bytes);

}  // namespace holdfast
