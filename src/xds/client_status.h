// A client as an outsider sees it: its state and who it says it is.
#pragma once

#include <vector>

#include "holdfast/xds/snapshot.h"
#include "xds/node.h"

namespace holdfast {

// How a control plane sees a resource of its client: envoy.service.status.v3.ConfigStatus.
enum class ConfigStatus {
  kUnknown = 0,
  kSynced = 1,
  kNotSent = 2,
  kStale = 3,  // sent, and not answered
  kError = 4,  // rejected
};

struct ClientStatus {
  ClientSnapshot snapshot;
  Node node;  // as servers are told
  // Of a control plane: one for each of the snapshot's resources. A client itself has none.
  std::vector<ConfigStatus> config_status;
};

}  // namespace holdfast
