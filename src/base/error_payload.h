// How an error record rides inside an absl::Status: who puts it in (error_detail.cc) and who takes
// it out (error.cc) agree here.
//
// The payload never leaves the process, so its form is our own: code, cause and time, then these
// texts, each part as "<length>:<bytes>".
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "holdfast/xds/error.h"

namespace holdfast {

inline constexpr absl::string_view kErrorPayloadUrl = "holdfast/error_detail";

inline constexpr std::string ErrorDetail::*kErrorPayloadTexts[] = {
    &ErrorDetail::text,    &ErrorDetail::type,        &ErrorDetail::resource, &ErrorDetail::server,
    &ErrorDetail::version, &ErrorDetail::consequence, &ErrorDetail::node_id,
};

}  // namespace holdfast
