// Which cluster of a route a call goes to: each as often as its weight says (gRFC A28).
//
// Immutable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/chance.h"
#include "resources/route_config.h"

namespace holdfast {

// The names of the clusters of a route, in its order.
std::vector<std::string> ClusterNames(const ForwardAction& action);

class ClusterShares {
 public:
  // Clusters are numbered by their place in `sorted_clusters`, which has all of them. REQUIRES:
  // what the decoder promises: there is one, weights are above 0 and their sum fits 32 bits.
  ClusterShares(const ForwardAction& action, const std::vector<std::string>& sorted_clusters);

  // Only where there is a choice, chance is asked.
  uint32_t Choose(Chance chance) const;

 private:
  struct Share {
    uint32_t end;  // where it ends among the numbers that are drawn; it begins where the last ended
    uint32_t cluster;
  };
  std::vector<Share> shares_;
};

}  // namespace holdfast
