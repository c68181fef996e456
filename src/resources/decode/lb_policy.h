// How a cluster says which load balancing policy it wants: as a list of extensions of which the
// first that we know counts (gRFC A52), or by the older enum.
#pragma once

#include "base/validation_errors.h"
#include "resources/lb_policy.h"
#include "xds/any_resource_type.h"

namespace envoy::config::cluster::v3 {
class Cluster;
}

namespace holdfast {

// Adds its errors at the fields of the cluster. A policy we do not have is an error, never
// replaced by another one (R5.14).
LbPolicy DecodeLbPolicy(const envoy::config::cluster::v3::Cluster& cluster,
                        const DecodeContext& context, ValidationErrors& errors);

}  // namespace holdfast
