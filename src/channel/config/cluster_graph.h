// Clusters and endpoints: which of them the roots need, what is known of each, and what that makes
// of a root. A root is a cluster that calls may be sent to.
//
//   root ─▶ itself, and if it is an aggregate, its members, theirs ... ─▶ endpoints
//        ◀─ the indexes that news goes back by
//
// What always holds:
// 1. A cluster is watched if some root needs it, endpoints if some such cluster names them.
// 2. A root is complete if nothing that it needs is still unanswered: a number, kept up to date.
// 3. News touches the roots that need it and no others.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "channel/config/dependency.h"
#include "channel/config/known_resource.h"
#include "channel/config/resolution_note.h"
#include "channel/config/xds_config.h"

namespace holdfast {

struct WatchChanges {
  std::set<Dependency> started;
  std::set<Dependency> stopped;
};

class ClusterGraph {
 public:
  explicit ClusterGraph(std::string node_id);

  // Not there yet; there.
  void AddRoot(const std::string& root);
  void RemoveRoot(const std::string& root);

  // `change` is told what is known and says whether it changed anything. News of what is not
  // watched is none.
  template <typename Change>
  void ChangeCluster(const std::string& name, const Change& change);
  template <typename Change>
  void ChangeEndpoints(const std::string& name, const Change& change);

  // Since it was asked last: the roots whose result may be another one.
  std::set<std::string> TakeTouched();
  // Since it was asked last. What nobody needs any more is forgotten only now, so that it may be
  // let go and taken up again in between.
  WatchChanges TakeWatchChanges();

  bool IsComplete(const std::string& root) const;
  // None if it is answered, or not watched. Of a cluster or of endpoints.
  std::set<std::string> RootsThatWaitFor(const Dependency& what) const;
  // Of a complete root. `above` is what the notes of all clusters begin with; those of an aggregate
  // go on with the members that cannot be had.
  ClusterResult ResultOf(const std::string& root, const std::vector<NotePart>& above) const;

 private:
  struct EndpointsNode {
    KnownResource<Endpoints> known;
    std::set<std::string> clusters;  // that have these
  };
  struct ClusterNode {
    std::string name;
    KnownResource<Cluster> known;
    EndpointsNode* endpoints = nullptr;  // null: it has none by EDS
    std::vector<ClusterNode*> members;   // of an aggregate, as it names them
    size_t named_by = 0;                 // by so many members; it stays for them to point to
    std::set<std::string> roots;         // that need it
    bool is_watched = false;
    bool is_pending = true;  // it or its endpoints are not answered
    uint64_t visit = 0;      // the last one that met it
    uint64_t was_in = 0;     // the last one of a tree that it was in before
  };
  // What a root needs, found depth first; each cluster where it is met first, and none behind one
  // that is too deep.
  struct Tree {
    std::vector<ClusterNode*> clusters;
    size_t pending = 0;    // of them
    std::string too_deep;  // the first cluster beyond the limit
  };

  void Grow(const std::string& root, Tree& tree);
  // False: too deep, no further.
  bool Visit(const std::string& root, ClusterNode& node, int level, Tree& tree);
  void Leave(const std::string& root, ClusterNode& node);
  ClusterNode& NodeOf(const std::string& name);
  void ClusterChanged(ClusterNode& node, const Cluster* before);
  void EndpointsChanged(const EndpointsNode& node);
  void FollowEndpoints(ClusterNode& node, const Cluster* before);
  void FollowMembers(ClusterNode& node);
  void Forget(ClusterNode& node);
  void UpdatePending(ClusterNode& node);
  void Touch(const ClusterNode& node);
  LeafCluster LeafOf(const ClusterNode& node, const std::vector<NotePart>& above) const;

  const std::string node_id_;
  std::map<std::string, Tree> trees_;  // by root
  std::unordered_map<std::string, ClusterNode> clusters_;
  std::map<std::string, EndpointsNode> endpoints_;
  uint64_t visit_ = 0;  // of one tree by one event
  std::set<std::string> touched_;
  std::set<Dependency> started_;
  std::set<std::string> maybe_unneeded_clusters_;
  std::set<std::string> maybe_unneeded_endpoints_;
};

template <typename Change>
void ClusterGraph::ChangeCluster(const std::string& name, const Change& change) {
  const auto at = clusters_.find(name);
  if (at == clusters_.end() || !at->second.is_watched) return;
  const std::shared_ptr<const Cluster> before = at->second.known.value;
  if (change(at->second.known)) ClusterChanged(at->second, before.get());
}

template <typename Change>
void ClusterGraph::ChangeEndpoints(const std::string& name, const Change& change) {
  const auto at = endpoints_.find(name);
  if (at == endpoints_.end()) return;
  if (change(at->second.known)) EndpointsChanged(at->second);
}

}  // namespace holdfast
