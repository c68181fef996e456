#include "channel/config/cluster_graph.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "channel/config/unusable.h"

namespace holdfast {
namespace {

const std::string* EdsNameOf(const Cluster* cluster) {
  if (cluster == nullptr) return nullptr;
  const auto* eds = std::get_if<Cluster::Eds>(&cluster->discovery);
  return eds == nullptr ? nullptr : &eds->name;
}

// Empty for what is no aggregate: it leads nowhere.
const std::vector<std::string>& MembersOf(const Cluster* cluster) {
  static const std::vector<std::string> kNone;
  if (cluster == nullptr) return kNone;
  const auto* aggregate = std::get_if<Cluster::Aggregate>(&cluster->discovery);
  return aggregate == nullptr ? kNone : aggregate->clusters;
}

bool HasEndpoint(const Endpoints& endpoints) {
  for (const std::vector<LocalityEndpoints>& priority : endpoints.priorities) {
    for (const LocalityEndpoints& locality : priority) {
      for (const Endpoint& endpoint : locality.endpoints) {
        if (endpoint.health != HealthStatus::kDraining) return true;
      }
    }
  }
  return false;
}

// R11.35: the policy would only say that it has nothing to choose from.
std::string WhyNoEndpoints(const Endpoints& endpoints) {
  return endpoints.priorities.empty() ? "has no locality that can be used"
                                      : "its localities have no endpoint that can be used";
}

}  // namespace

ClusterGraph::ClusterGraph(std::string node_id) : node_id_(std::move(node_id)) {}

void ClusterGraph::AddRoot(const std::string& root) {
  const auto [at, is_new] = trees_.try_emplace(root);
  HOLDFAST_CHECK(is_new);
  Grow(root, at->second);
  touched_.insert(root);
}

void ClusterGraph::RemoveRoot(const std::string& root) {
  const auto at = trees_.find(root);
  HOLDFAST_CHECK(at != trees_.end());
  LetGo(root, at->second);
  trees_.erase(at);
  touched_.erase(root);
}

void ClusterGraph::Grow(const std::string& root, Tree& tree) {
  std::set<std::string> seen;
  Visit(root, root, 1, seen, tree);
}

// A cluster that was met before is passed by, so a cycle ends where it began.
void ClusterGraph::Visit(const std::string& root, const std::string& name, int level,
                         std::set<std::string>& seen, Tree& tree) {
  if (seen.count(name) > 0) return;
  if (level > kMostAggregateLevels) {
    if (tree.too_deep.empty()) tree.too_deep = name;
    return;
  }
  seen.insert(name);
  const auto [at, is_new] = clusters_.try_emplace(name);
  if (is_new) started_.insert({DependencyKind::kCluster, name});
  ClusterNode& node = at->second;
  node.roots.insert(root);
  tree.clusters.push_back(name);
  if (node.is_pending) ++tree.pending;
  for (const std::string& member : MembersOf(node.known.value.get())) {
    Visit(root, member, level + 1, seen, tree);
  }
}

void ClusterGraph::LetGo(const std::string& root, const Tree& tree) {
  for (const std::string& name : tree.clusters) {
    ClusterNode& node = clusters_.at(name);
    node.roots.erase(root);
    if (node.roots.empty()) maybe_unneeded_clusters_.insert(name);
  }
}

void ClusterGraph::ClusterChanged(const std::string& name, ClusterNode& node,
                                  const Cluster* before) {
  const Cluster* now = node.known.value.get();
  FollowEndpoints(name, node, before);
  UpdatePending(node);
  Touch(node);
  if (MembersOf(before) == MembersOf(now)) return;
  const std::set<std::string> roots = node.roots;  // growing changes it
  for (const std::string& root : roots) {
    Tree& tree = trees_.at(root);
    LetGo(root, tree);
    tree = Tree();
    Grow(root, tree);
  }
}

void ClusterGraph::EndpointsChanged(const EndpointsNode& node) {
  for (const std::string& name : node.clusters) {
    ClusterNode& cluster = clusters_.at(name);
    UpdatePending(cluster);
    Touch(cluster);
  }
}

void ClusterGraph::FollowEndpoints(const std::string& name, ClusterNode& node,
                                   const Cluster* before) {
  const std::string* old_name = EdsNameOf(before);
  const std::string* new_name = EdsNameOf(node.known.value.get());
  if (old_name != nullptr && (new_name == nullptr || *old_name != *new_name)) {
    node.endpoints->clusters.erase(name);
    if (node.endpoints->clusters.empty()) maybe_unneeded_endpoints_.insert(*old_name);
    node.endpoints = nullptr;
  }
  if (new_name != nullptr && node.endpoints == nullptr) {
    const auto [at, is_new] = endpoints_.try_emplace(*new_name);
    if (is_new) started_.insert({DependencyKind::kEndpoints, *new_name});
    at->second.clusters.insert(name);
    node.endpoints = &at->second;
  }
}

void ClusterGraph::UpdatePending(ClusterNode& node) {
  const bool is_pending = !node.known.is_answered() ||
                          (node.endpoints != nullptr && !node.endpoints->known.is_answered());
  if (std::exchange(node.is_pending, is_pending) == is_pending) return;
  for (const std::string& root : node.roots) {
    Tree& tree = trees_.at(root);
    tree.pending = is_pending ? tree.pending + 1 : tree.pending - 1;
  }
}

void ClusterGraph::Touch(const ClusterNode& node) {
  touched_.insert(node.roots.begin(), node.roots.end());
}

std::set<std::string> ClusterGraph::TakeTouched() { return std::exchange(touched_, {}); }

WatchChanges ClusterGraph::TakeWatchChanges() {
  WatchChanges changes;
  const auto stop = [&](Dependency what) {
    if (started_.erase(what) == 0) changes.stopped.insert(std::move(what));
  };
  for (const std::string& name : std::exchange(maybe_unneeded_clusters_, {})) {
    const auto at = clusters_.find(name);
    if (!at->second.roots.empty()) continue;
    if (const std::string* eds_name = EdsNameOf(at->second.known.value.get())) {
      at->second.endpoints->clusters.erase(name);
      maybe_unneeded_endpoints_.insert(*eds_name);
    }
    clusters_.erase(at);
    stop({DependencyKind::kCluster, name});
  }
  for (const std::string& name : std::exchange(maybe_unneeded_endpoints_, {})) {
    const auto at = endpoints_.find(name);
    if (!at->second.clusters.empty()) continue;
    endpoints_.erase(at);
    stop({DependencyKind::kEndpoints, name});
  }
  changes.started = std::exchange(started_, {});
  return changes;
}

bool ClusterGraph::IsComplete(const std::string& root) const {
  const Tree& tree = trees_.at(root);
  return tree.pending == 0 || !tree.too_deep.empty();
}

std::set<std::string> ClusterGraph::RootsThatWaitFor(const Dependency& what) const {
  if (what.kind == DependencyKind::kCluster) {
    const auto at = clusters_.find(what.name);
    if (at == clusters_.end() || at->second.known.is_answered()) return {};
    return at->second.roots;
  }
  std::set<std::string> roots;
  const auto at = endpoints_.find(what.name);
  if (at == endpoints_.end() || at->second.known.is_answered()) return roots;
  for (const std::string& name : at->second.clusters) {
    const std::set<std::string>& of_cluster = clusters_.at(name).roots;
    roots.insert(of_cluster.begin(), of_cluster.end());
  }
  return roots;
}

ClusterResult ClusterGraph::ResultOf(const std::string& root,
                                     const std::vector<NotePart>& above) const {
  const Tree& tree = trees_.at(root);
  if (!tree.too_deep.empty()) return AggregateTooDeep(node_id_, root, tree.too_deep);
  const KnownResource<Cluster>& itself = clusters_.at(root).known;
  if (itself.value == nullptr) return ClusterUnusable(node_id_, root, itself.failure);

  auto config = std::make_shared<ClusterConfig>();
  config->cluster = itself.value;
  std::vector<std::string> reasons;
  for (const std::string& name : tree.clusters) {
    const ClusterNode& node = clusters_.at(name);
    if (node.known.value == nullptr) {
      reasons.push_back(Quote({DependencyKind::kCluster, name}, node.known.failure, node_id_));
    } else if (!std::holds_alternative<Cluster::Aggregate>(node.known.value->discovery)) {
      config->leaves.push_back(LeafOf(name, node, above));
    }
  }
  if (config->leaves.empty()) return AggregateWithoutLeaves(node_id_, root, reasons);
  return config;
}

LeafCluster ClusterGraph::LeafOf(const std::string& name, const ClusterNode& node,
                                 const std::vector<NotePart>& above) const {
  const Cluster& cluster = *node.known.value;
  std::vector<NotePart> parts = above;
  if (!node.known.ambient_error.empty()) {
    parts.push_back({{DependencyKind::kCluster, name}, node.known.ambient_error});
  }
  LeafCluster leaf{node.known.value, nullptr, ""};
  if (node.endpoints != nullptr) {
    const Dependency what = {DependencyKind::kEndpoints, *EdsNameOf(&cluster)};
    const KnownResource<Endpoints>& endpoints = node.endpoints->known;
    leaf.endpoints = endpoints.value;
    if (!endpoints.ambient_error.empty()) parts.push_back({what, endpoints.ambient_error});
    if (!endpoints.failure.empty()) {
      parts.push_back({what, endpoints.failure, /*is_ambient_error=*/false});
    } else if (!HasEndpoint(*endpoints.value)) {
      parts.push_back({what, WhyNoEndpoints(*endpoints.value), /*is_ambient_error=*/false});
    }
  }
  leaf.resolution_note = ResolutionNote(parts, node_id_);
  return leaf;
}

}  // namespace holdfast
