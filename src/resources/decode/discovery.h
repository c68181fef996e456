// Where a cluster's endpoints come from: EDS, a DNS name, or other clusters.
#pragma once

#include "base/validation_errors.h"
#include "resources/cluster.h"

namespace envoy::config::cluster::v3 {
class Cluster;
}

namespace holdfast {

decltype(Cluster::discovery) DecodeDiscovery(const envoy::config::cluster::v3::Cluster& cluster,
                                             ValidationErrors& errors);

}  // namespace holdfast
