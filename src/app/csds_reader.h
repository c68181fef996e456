// Asks one process for its clients through CSDS (gRFC A40), whatever language it is written in.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace holdfast {

enum class CsdsContents { kIncluded, kExcluded };

// A serialized ClientStatusResponse. INVALID_ARGUMENT if that is no HOST:PORT, UNAVAILABLE if
// nobody answers there in time, else what the server says; an old server may include contents
// anyway. Once `stop` is readable (-1: never), nothing is waited for.
absl::StatusOr<std::string> FetchClientStatus(absl::string_view address, CsdsContents contents,
                                              int stop = -1);

}  // namespace holdfast
