// Bytes from a network → a checked resource, or everything that is wrong with it.
//
//   Decoded<Cluster> decoded = DecodeCluster(bytes, context);
//   if (!decoded.errors.ok()) Reject(decoded.errors.Text());
//
// Pure functions, callable from any thread. Unknown fields are ignored (R5.12); an unsupported
// value of a field we know is an error, never replaced by another value (R5.14).
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/validation_errors.h"
#include "resources/cluster.h"
#include "resources/endpoints.h"
#include "resources/listener.h"
#include "resources/route_config.h"
#include "xds/any_resource_type.h"

namespace holdfast {

// A single resource beyond this is refused before it is parsed. Parsed, hostile bytes take up to
// fifty times their size; what clients can receive by default, 4 MiB, is far below it.
inline constexpr size_t kMostResourceBytes = size_t{16} << 20;

template <class T>
struct Decoded {
  T resource;  // meaningful only without errors
  ValidationErrors errors;
  std::vector<std::string> not_enforced;  // as in DecodedResource
};

Decoded<Listener> DecodeListener(absl::string_view bytes, const DecodeContext& context);
Decoded<RouteConfig> DecodeRouteConfig(absl::string_view bytes, const DecodeContext& context);
Decoded<Cluster> DecodeCluster(absl::string_view bytes, const DecodeContext& context);
Decoded<Endpoints> DecodeEndpoints(absl::string_view bytes, const DecodeContext& context);

}  // namespace holdfast
