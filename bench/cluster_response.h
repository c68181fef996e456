// A large CDS response, as a control plane would write it.
#pragma once

#include <string>

namespace holdfast {

inline constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

std::string ClusterName(int number);

// Clusters of about 1 KB each, most of it in nested messages and metadata. `changed` is the number
// of one that differs from what it would be otherwise; -1: none. With `seed` other than 0 they come
// in another order.
std::string ClusterResponse(int resources, const std::string& version = "42", int changed = -1,
                            unsigned seed = 0);

}  // namespace holdfast
