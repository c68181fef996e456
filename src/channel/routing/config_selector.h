// Where a call goes, as the routes say: the config selector (gRFC A31). Any thread may ask.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/chance.h"
#include "channel/routing/routed_call.h"

namespace holdfast {

struct RouteChoice {
  // Why no cluster was chosen: nothing matches, or what matches is not for a gRPC client. A code of
  // OK is a failure too (gRFC A54).
  std::optional<absl::Status> failure;
  uint32_t cluster = 0;  // a number that its owner knows
  // How long the call may take at most (gRFC A31); absent: no cap but the application's.
  std::optional<absl::Duration> longest;
};

class ConfigSelector {
 public:
  virtual ~ConfigSelector() = default;
  virtual RouteChoice Choose(const RoutedCall& call, Chance chance) const = 0;
};

}  // namespace holdfast
