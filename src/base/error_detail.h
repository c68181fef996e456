// The text of an error record, and how the record rides inside an absl::Status.
//
//   absl::Status status = ToStatus(detail);
//   std::optional<ErrorDetail> again = DetailOf(status);   // equal to detail
//
// The text says where, what, got and the consequence; the nearest cause comes last; no clock is in
// it, so equal errors have equal texts.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "holdfast/xds/error.h"

namespace holdfast {

// cluster "payments": eds_cluster_config.eds_config: must be ads or self (got path); keeping
// version 41 (node "web-1")
std::string TextOf(const ErrorDetail& detail);

// A status with the detail's code and text, and the detail as a payload.
absl::Status ToStatus(const ErrorDetail& detail);

}  // namespace holdfast
