// The switch of gRFC A88: one environment variable that turns its error handling off.
//
// Pure: whoever may read the environment passes the variable's text.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

inline constexpr absl::string_view kDataErrorHandlingVariable =
    "GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING";

struct DataErrorHandling {
  bool is_enabled = true;              // false: as it was before A88
  std::optional<std::string> warning;  // one line, for the log

  friend bool operator==(const DataErrorHandling&, const DataErrorHandling&) = default;
};

// True and false, 1 and 0, yes and no, in any case. Anything else is warned of and counts as unset;
// unset means on (DEC-02).
DataErrorHandling ReadDataErrorHandling(std::optional<absl::string_view> text);

}  // namespace holdfast
