#include "channel/routing/cluster_shares.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "base/check.h"

namespace holdfast {

std::vector<std::string> ClusterNames(const ForwardAction& action) {
  if (const auto* only = std::get_if<std::string>(&action.clusters)) return {*only};
  std::vector<std::string> names;
  for (const auto& cluster : std::get<std::vector<WeightedCluster>>(action.clusters)) {
    names.push_back(cluster.name);
  }
  return names;
}

ClusterShares::ClusterShares(const ForwardAction& action,
                             const std::vector<std::string>& sorted_clusters) {
  const auto* weighted = std::get_if<std::vector<WeightedCluster>>(&action.clusters);
  uint64_t end = 0;
  for (const std::string& name : ClusterNames(action)) {
    const auto found = std::lower_bound(sorted_clusters.begin(), sorted_clusters.end(), name);
    HOLDFAST_CHECK(found != sorted_clusters.end() && *found == name);
    end += weighted == nullptr ? 1 : (*weighted)[shares_.size()].weight;
    shares_.push_back({.end = static_cast<uint32_t>(end),
                       .cluster = static_cast<uint32_t>(found - sorted_clusters.begin())});
  }
  HOLDFAST_CHECK(end > 0 && end <= std::numeric_limits<uint32_t>::max());
}

uint32_t ClusterShares::Choose(Chance chance) const {
  if (shares_.size() == 1) return shares_.front().cluster;
  const uint32_t drawn = chance(shares_.back().end);
  const auto share =
      std::upper_bound(shares_.begin(), shares_.end(), drawn,
                       [](uint32_t number, const Share& of) { return number < of.end; });
  return share->cluster;
}

}  // namespace holdfast
