// Which other resources a client asks for because of a resource it has.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "control/catalog/resource.h"

namespace holdfast {

// The endpoints of a cluster of type EDS, the members of an aggregate one, the routes of a
// listener's HTTP connection managers, the clusters of routes; names in their canonical form. Only
// what is fetched by ADS or the same source counts. Nothing for other types and for what cannot be
// read: whether a body is valid is not asked here.
std::vector<ResourceKey> ReferencesOf(absl::string_view type, absl::string_view body);

// Only those that a client must be sent anew after the resource that refers to them: a cluster's
// endpoints and a listener's routes.
std::vector<ResourceKey> ChildrenOf(absl::string_view type, absl::string_view body);

}  // namespace holdfast
