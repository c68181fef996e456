// What the environment tells a client before it starts; the bootstrap itself is
// holdfast/xds/bootstrap.h, whose functions are here too.
//
// Reads environment variables: thread-safe as long as nobody writes them.
#pragma once

#include "absl/strings/string_view.h"
#include "bootstrap/data_error_handling.h"

namespace holdfast {

inline constexpr absl::string_view kBootstrapFileVariable = "GRPC_XDS_BOOTSTRAP";
inline constexpr absl::string_view kBootstrapTextVariable = "GRPC_XDS_BOOTSTRAP_CONFIG";

// The switch of gRFC A88, to be read once per client (R7.60).
DataErrorHandling DataErrorHandlingFromEnvironment();

}  // namespace holdfast
