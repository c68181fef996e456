// The load balancing policies that the user's own code registered (holdfast/grpc/lb_policy.h).
//
// They are known here because a client accepts a cluster that names one and rejects any other.
// Thread-safe.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "holdfast/grpc/lb_policy.h"

namespace holdfast {

std::set<std::string> RegisteredLbPolicies();

// Null if nobody registered it.
std::shared_ptr<const LbPolicyFactory> FindLbPolicy(absl::string_view name);

}  // namespace holdfast
