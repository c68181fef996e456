// What is wrong with one resource that is well-formed: the rules of those who will receive it.
//
// Clients disagree. What none of them takes is an error; what only gRPC refuses, or silently leaves
// out, is a warning that starts with kGrpcWarning, because Envoy may well be the one it is for.
//
// Pure functions, callable from any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/config/problem.h"

namespace holdfast {

inline constexpr absl::string_view kGrpcWarning = "grpc: ";

struct LintFinding {
  Problem::Kind kind = Problem::Kind::kError;
  std::string field;  // within the resource: "endpoints[0].lb_endpoints[1]"; empty: all of it
  std::string text;

  friend bool operator==(const LintFinding&, const LintFinding&) = default;
};

// Sorted by field. `type` is without prefix; nothing is known of types other than Listener,
// RouteConfiguration, Cluster and ClusterLoadAssignment. No warnings if the resource is not
// IsForGrpc().
std::vector<LintFinding> LintResource(absl::string_view type, absl::string_view body);

// False for what is plainly made for Envoy: a listener without api_listener, a cluster of a type
// that gRPC does not have. Cheap: looks at two fields.
bool IsForGrpc(absl::string_view type, absl::string_view body);

}  // namespace holdfast
