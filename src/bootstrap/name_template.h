// From what a user names (a target, a listening address) to the Listener to ask for (gRFC A47).
//
//   target                bootstrap                              listener
//   xds:///pay            default template "%s"                  pay
//   xds:pay               default template "xdstp://a/.../%s"    xdstp://a/.../pay
//   xds://a/pay           template of authority "a"              xdstp://a/.../pay
//   [::]:80 (a server)    server template "grpc/server?a=%s"     grpc/server?a=[::]:80
//
// Knows nothing of resources or connections: it only writes names, and refuses those whose
// authority no server answers for.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bootstrap/bootstrap.h"

namespace holdfast {

struct TargetNames {
  std::string listener;  // the name of the Listener resource
  // What data-plane calls put into ":authority", and what selects the virtual host.
  std::string data_plane_authority;

  friend bool operator==(const TargetNames&, const TargetNames&) = default;
};

// Target: "xds:path", "xds:///path" or "xds://authority/path"; its parts may be percent-encoded. A
// query and a fragment are ignored, as gRPC does.
// INVALID_ARGUMENT if the target is no such thing, its authority is not in the bootstrap (R7.40),
// or the listener's name would be a wildcard (R1.55), longer than 64 KiB or, where the target
// itself is a new-style name, a bad one; FAILED_PRECONDITION if the bootstrap's template makes a
// bad name or one of an authority that is not in it (R7.45). Each error names the target.
absl::StatusOr<TargetNames> NamesOfTarget(absl::string_view target,
                                          const BootstrapConfig& bootstrap);

// The Listener of a gRPC server that listens on `address` ("0.0.0.0:8080", "[::]:80").
// FAILED_PRECONDITION if the bootstrap has no template for it; otherwise as above.
absl::StatusOr<std::string> ListenerOfServer(absl::string_view address,
                                             const BootstrapConfig& bootstrap);

}  // namespace holdfast
