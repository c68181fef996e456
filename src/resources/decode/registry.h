// The four types of resources we know, as the client protocol and the control plane take them.
#pragma once

#include "absl/strings/string_view.h"
#include "xds/resource_type.h"

namespace holdfast {

const ResourceType& ListenerType();
const ResourceType& RouteConfigType();
const ResourceType& ClusterType();
const ResourceType& EndpointsType();

// With or without "type.googleapis.com/"; null for any other type.
const ResourceType* FindResourceType(absl::string_view type_url);

// "lds", "rds", "cds" or "eds", in any case: how people name the types; null for anything else.
const ResourceType* FindResourceTypeByShortName(absl::string_view name);

}  // namespace holdfast
