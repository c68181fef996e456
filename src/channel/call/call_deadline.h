// How long a route lets a call take.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>

#include "absl/time/time.h"

namespace holdfast {

// `longest` after `made`, on the clock of `made`.
gpr_timespec LatestEnd(gpr_timespec made, absl::Duration longest);

// The call ends no later than `longest` after `made`, nor later than it would anyway.
// REQUIRES: gRPC has not created the call yet.
void LimitDeadline(grpc::ClientContext& context, gpr_timespec made, absl::Duration longest);

}  // namespace holdfast
