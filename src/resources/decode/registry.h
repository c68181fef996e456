// The four types of resources we know, as the client protocol and the control plane take them.
#pragma once

#include "absl/strings/string_view.h"
#include "xds/any_resource_type.h"

namespace holdfast {

const AnyResourceType& ListenerType();
const AnyResourceType& RouteConfigType();
const AnyResourceType& ClusterType();
const AnyResourceType& EndpointsType();

// With or without "type.googleapis.com/"; null for any other type.
const AnyResourceType* FindResourceType(absl::string_view type_url);

// "lds", "rds", "cds" or "eds", in any case: how people name the types; null for anything else.
const AnyResourceType* FindResourceTypeByShortName(absl::string_view name);

}  // namespace holdfast
