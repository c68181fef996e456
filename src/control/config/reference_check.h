// Where the references between the resources of a directory lead: to nothing, or from a gRPC client
// to something that only Envoy understands.
//
//   listener ──▶ route configuration ──▶ cluster ──▶ endpoints
//
// A pure function, callable from any thread. Time and memory grow with the number of resources and
// references, n log n.
#pragma once

#include <set>
#include <vector>

#include "absl/types/span.h"
#include "control/catalog/resource.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"

namespace holdfast {

struct ReferenceReport {
  std::vector<Problem> problems;  // in no order
  // What Envoy's listeners lead to and none of gRPC's does: no gRPC client ever sees it.
  std::set<ResourceKey> only_for_envoy;
};

// No key is defined twice in `files`. A name that has an error, or a resource that is invalid, is
// there: clients hear about it.
ReferenceReport CheckReferences(absl::Span<const ConfigFile> files);

}  // namespace holdfast
