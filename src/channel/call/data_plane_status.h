// The only door from a status of the control plane to the status of a call (gRFC A54).
//
// An application reads NOT_FOUND as its server's answer: the file is not there. What a control
// plane could not find must never look like that. So a code that only servers should send becomes
// INTERNAL, with the original in the text. It is a net, not a translation: who fails a call is to
// choose a fitting code himself.
//
// Not asked about: what a server answers, and what an interceptor of the application makes of it.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace holdfast {

// Where a status of ours can enter a call. The credentials of a call are the fourth place, inside
// gRPC, which has a gate of its own there.
enum class Door {
  kResolver,        // there is no configuration for the target
  kConfigSelector,  // no virtual host, no route, a route that cannot be used
  kPick,            // balancing failed the call or dropped it
};

// The status that the call gets, and that a retry policy is compared with.
grpc::Status DataPlaneStatus(Door door, const absl::Status& status);

}  // namespace holdfast
