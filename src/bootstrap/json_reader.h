// Reads JSON text (RFC 8259) into values that know their line and column.
//
// Our own reader because of the positions: an operator with a wrong value on line 40 is told
// "line 40, column 17", which nlohmann 3.11 cannot say once the text is parsed.
//
// Strict: no comments, no trailing commas, no NaN, no key twice in an object, valid UTF-8 only, no
// half of a surrogate pair. Numbers are doubles. One thing is forgiven: a UTF-8 byte order mark at
// the start is skipped (RFC 8259, section 8.1, allows it), because editors put it there unseen and
// an error about an invisible character helps nobody. Columns count from after it.
//
// Any bytes are safe input. Size, depth and number of values have limits, so that neither the
// reader nor the destructor of what it built can exhaust the stack or the memory.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json_value.h"

namespace holdfast {

inline constexpr size_t kMostJsonBytes = size_t{16} << 20;
inline constexpr int kMostJsonLevels = 100;
// A value takes 64 bytes where its text may take two: this keeps a text of 16 MiB under 200 MB.
inline constexpr size_t kMostJsonValues = 1'000'000;

struct JsonLimits {
  size_t bytes = kMostJsonBytes;
  size_t values = kMostJsonValues;
};

// INVALID_ARGUMENT with the first mistake:
//   line 3, column 17: expected "," or "}" after a member (got "x")
absl::StatusOr<JsonValue> ReadJson(absl::string_view text, const JsonLimits& limits = {});

// "line 3, column 17".
std::string TextOf(TextPosition at);

}  // namespace holdfast
