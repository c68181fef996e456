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

bool IsAggregate(const Cluster& cluster) {
  return std::holds_alternative<Cluster::Aggregate>(cluster.discovery);
}

// Every leaf has them in its note.
constexpr size_t kMostNotedMembers = 5;

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
  for (ClusterNode* node : at->second.clusters) Leave(root, *node);
  trees_.erase(at);
  touched_.erase(root);
}

// What was in the tree before and still is, is not touched: there may be many trees, and most of
// their clusters stay.
void ClusterGraph::Grow(const std::string& root, Tree& tree) {
  const Tree before = std::exchange(tree, Tree());
  ++visit_;
  for (ClusterNode* node : before.clusters) node->was_in = visit_;
  Visit(root, NodeOf(root), 1, tree);
  for (ClusterNode* node : before.clusters) {
    if (node->visit != visit_) Leave(root, *node);
  }
}

// A cluster that was met before is passed by, so a cycle ends where it began. The first that is too
// deep ends it all: whatever would come behind it, the root cannot be used.
bool ClusterGraph::Visit(const std::string& root, ClusterNode& node, int level, Tree& tree) {
  if (node.visit == visit_) return true;
  if (level > kMostAggregateLevels) {
    tree.too_deep = node.name;
    return false;
  }
  node.visit = visit_;
  if (node.was_in != visit_) node.roots.insert(root);
  if (!std::exchange(node.is_watched, true)) started_.insert({DependencyKind::kCluster, node.name});
  tree.clusters.push_back(&node);
  if (node.is_pending) ++tree.pending;
  for (ClusterNode* member : node.members) {
    if (!Visit(root, *member, level + 1, tree)) return false;
  }
  return true;
}

void ClusterGraph::Leave(const std::string& root, ClusterNode& node) {
  node.roots.erase(root);
  if (node.roots.empty()) maybe_unneeded_clusters_.insert(node.name);
}

ClusterGraph::ClusterNode& ClusterGraph::NodeOf(const std::string& name) {
  const auto [at, is_new] = clusters_.try_emplace(name);
  if (is_new) at->second.name = name;
  return at->second;
}

void ClusterGraph::FollowMembers(ClusterNode& node) {
  for (ClusterNode* member : std::exchange(node.members, {})) {
    if (--member->named_by == 0) maybe_unneeded_clusters_.insert(member->name);
  }
  for (const std::string& name : MembersOf(node.known.value.get())) {
    ClusterNode& member = NodeOf(name);
    ++member.named_by;
    node.members.push_back(&member);
    // Behind one that is too deep nobody needs it.
    if (member.roots.empty()) maybe_unneeded_clusters_.insert(name);
  }
}

void ClusterGraph::ClusterChanged(ClusterNode& node, const Cluster* before) {
  FollowEndpoints(node, before);
  UpdatePending(node);
  Touch(node);
  if (MembersOf(before) == MembersOf(node.known.value.get())) return;
  FollowMembers(node);
  const std::set<std::string> roots = node.roots;  // growing changes it
  for (const std::string& root : roots) Grow(root, trees_.at(root));
}

void ClusterGraph::EndpointsChanged(const EndpointsNode& node) {
  for (const std::string& name : node.clusters) {
    ClusterNode& cluster = clusters_.at(name);
    UpdatePending(cluster);
    Touch(cluster);
  }
}

void ClusterGraph::FollowEndpoints(ClusterNode& node, const Cluster* before) {
  const std::string* old_name = EdsNameOf(before);
  const std::string* new_name = EdsNameOf(node.known.value.get());
  if (old_name != nullptr && (new_name == nullptr || *old_name != *new_name)) {
    node.endpoints->clusters.erase(node.name);
    if (node.endpoints->clusters.empty()) maybe_unneeded_endpoints_.insert(*old_name);
    node.endpoints = nullptr;
  }
  if (new_name != nullptr && node.endpoints == nullptr) {
    const auto [at, is_new] = endpoints_.try_emplace(*new_name);
    if (is_new) started_.insert({DependencyKind::kEndpoints, *new_name});
    at->second.clusters.insert(node.name);
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
  std::set<Dependency> stopped;
  while (!maybe_unneeded_clusters_.empty()) {
    for (const std::string& name : std::exchange(maybe_unneeded_clusters_, {})) {
      const auto at = clusters_.find(name);
      if (at == clusters_.end() || !at->second.roots.empty()) continue;
      if (at->second.is_watched) {
        Forget(at->second);
        stopped.insert({DependencyKind::kCluster, name});
      }
      if (at->second.named_by == 0) clusters_.erase(at);
    }
  }
  for (const std::string& name : std::exchange(maybe_unneeded_endpoints_, {})) {
    const auto at = endpoints_.find(name);
    if (!at->second.clusters.empty()) continue;
    endpoints_.erase(at);
    stopped.insert({DependencyKind::kEndpoints, name});
  }
  WatchChanges changes;
  changes.started = std::exchange(started_, {});
  for (const Dependency& what : stopped) {
    if (changes.started.erase(what) == 0) changes.stopped.insert(what);
  }
  return changes;
}

// Nothing is left of it but its name, for those who name it.
void ClusterGraph::Forget(ClusterNode& node) {
  const std::shared_ptr<const Cluster> before = std::exchange(node.known, {}).value;
  FollowEndpoints(node, before.get());
  FollowMembers(node);
  node.is_watched = false;
  node.is_pending = true;
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

  std::vector<std::string> reasons;
  std::vector<NotePart> around = above;
  for (const ClusterNode* node : tree.clusters) {
    const KnownResource<Cluster>& known = node->known;
    if (known.value != nullptr) continue;
    const Dependency what = {DependencyKind::kCluster, node->name};
    reasons.push_back(Quote(what, known.failure, node_id_));
    // Should the others fail, too, these are reasons why.
    if (reasons.size() <= kMostNotedMembers) {
      around.push_back({what, known.failure, /*is_ambient_error=*/false});
    }
  }
  auto config = std::make_shared<ClusterConfig>();
  config->cluster = itself.value;
  for (const ClusterNode* node : tree.clusters) {
    if (node->known.value != nullptr && !IsAggregate(*node->known.value)) {
      config->leaves.push_back(LeafOf(*node, around));
    }
  }
  if (config->leaves.empty()) return AggregateWithoutLeaves(node_id_, root, reasons);
  return config;
}

LeafCluster ClusterGraph::LeafOf(const ClusterNode& node,
                                 const std::vector<NotePart>& above) const {
  const Cluster& cluster = *node.known.value;
  std::vector<NotePart> parts = above;
  if (!node.known.ambient_error.empty()) {
    parts.push_back({{DependencyKind::kCluster, node.name}, node.known.ambient_error});
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
