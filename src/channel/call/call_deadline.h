// How long a route lets a call take.
#pragma once

#include <grpc/support/time.h>
#include <grpcpp/client_context.h>

#include "absl/time/time.h"

namespace holdfast {

// The call ends no later than `longest` after `made`, nor later than it would anyway.
// REQUIRES: gRPC has not created the call yet.
void LimitDeadline(grpc::ClientContext& context, gpr_timespec made, absl::Duration longest);

}  // namespace holdfast
