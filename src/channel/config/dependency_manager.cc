#include "channel/config/dependency_manager.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error_detail.h"
#include "channel/config/cluster_graph.h"
#include "channel/config/known_resource.h"
#include "channel/config/resolution_note.h"
#include "channel/config/unusable.h"
#include "channel/routing/virtual_host.h"

namespace holdfast {
namespace {

using Kind = DependencyKind;

// nullopt: the routes are inside the listener.
std::optional<std::string> RdsNameOf(const Listener& listener) {
  const auto* rds = std::get_if<Listener::RdsName>(&listener.routes);
  return rds == nullptr ? std::nullopt : std::optional<std::string>(rds->name);
}

std::set<std::string> ClustersOf(const VirtualHost& host) {
  std::set<std::string> clusters;
  for (const Route& route : host.routes) {
    const auto* forward = std::get_if<ForwardAction>(&route.action);
    if (forward == nullptr) continue;
    if (const auto* one = std::get_if<std::string>(&forward->clusters)) {
      clusters.insert(*one);
    } else {
      for (const auto& weighted : std::get<std::vector<WeightedCluster>>(forward->clusters)) {
        clusters.insert(weighted.name);
      }
    }
  }
  return clusters;
}

// How one piece of news changes what is known of a resource.
template <typename Value>
bool Learn(const ResourceArrived& event, KnownResource<Value>& known) {
  const auto* value = std::get_if<std::shared_ptr<const Value>>(&event.value);
  HOLDFAST_CHECK(value != nullptr && *value != nullptr);
  return known.Arrived(*value);
}
template <typename Value>
bool Learn(const ResourceFailed& event, KnownResource<Value>& known) {
  HOLDFAST_CHECK(!event.why.ok());
  return known.Failed(event.why);
}
template <typename Value>
bool Learn(const AmbientErrorChanged& event, KnownResource<Value>& known) {
  return known.AmbientErrorChanged(event.error);
}

// R3.09: a server that cannot be reached has not said anything of the resource.
bool IsUnheard(const absl::Status& why) {
  const std::optional<ErrorDetail> detail = DetailOf(why);
  return detail.has_value() && detail->cause == Cause::kConnectivity;
}

}  // namespace

class DependencyManager::Graph {
 public:
  explicit Graph(DependencyOptions options)
      : options_(std::move(options)),
        audience_{options_.target, options_.node_id},
        clusters_(options_.node_id) {}

  DependencyEffects Start() { return {WatchResource{{Kind::kListener, options_.listener_name}}}; }

  template <typename News>
  DependencyEffects On(const News& news);
  DependencyEffects On(const ClusterHeld& event);
  DependencyEffects On(const ClusterLetGo& event);

 private:
  // A cluster that calls may be sent to, and why it is one.
  struct Root {
    bool is_wanted = false;    // by the newest routes
    bool is_in_force = false;  // by the routes in force
    uint64_t holds = 0;
    std::optional<ClusterResult> applied;

    bool is_needed() const { return is_wanted || is_in_force || holds > 0; }
    // Newest routes alone get nothing applied: they come as a whole.
    bool is_due() const { return is_in_force || holds > 0 || applied.has_value(); }
    // R11.03: one push may lead the routes away from a cluster and empty or delete it. As long as
    // the new routes wait for something else, calls go where they went.
    bool is_to_keep(const ClusterResult& newer) const {
      return is_in_force && !is_wanted && CanBeUsed(*applied) && !CanBeUsed(newer);
    }
  };

  // Whether what works is to go on until there is an answer.
  template <typename News>
  bool IsWaitedOut(const News&) const {
    return false;
  }
  bool IsWaitedOut(const ResourceFailed& news) const;

  void FollowRoutes();
  void WantRouting();
  void Want(std::shared_ptr<const RoutingConfig> routing, absl::Status failure);
  Root& RootOf(const std::string& cluster);

  DependencyEffects Settle();
  void LookAtTouched();
  bool FailIfWanted();
  void ApplyRoutingIfReady(ConfigChange& change);
  void DropUnneeded(ConfigChange& change);
  void ApplyClusters(ConfigChange& change);
  void ApplyCluster(const std::string& name, Root& root, ConfigChange& change);
  std::vector<NotePart> ErrorsAbove() const;
  std::vector<NotePart> NewestErrorsAbove() const;

  const DependencyOptions options_;
  const Audience audience_;

  KnownResource<Listener> listener_;
  std::optional<std::string> routes_name_;  // watched
  KnownResource<RouteConfig> routes_;
  ClusterGraph clusters_;
  std::map<std::string, Root> roots_;

  // What the newest graph comes to: routing, or a failure, or neither as long as it is not known.
  std::shared_ptr<const RoutingConfig> wanted_;
  absl::Status wanted_failure_;
  std::set<std::string> incomplete_;  // clusters that it waits for

  // What was applied last: routing, or a failure, or neither at first.
  std::shared_ptr<const RoutingConfig> routing_;
  absl::Status failure_;
  std::string routes_error_;     // the ambient error of the routes in force
  std::vector<NotePart> above_;  // what notes begin with
  std::string routing_note_;     // empty: there is no routing
  std::set<std::string>
      held_back_;  // clusters that are to be looked at when the routing is decided

  // Of the event at hand.
  std::set<Dependency> started_;
  std::set<Dependency> stopped_;
  std::set<std::string> due_;       // clusters to be looked at
  std::set<std::string> unneeded_;  // clusters that may be
};

template <typename News>
DependencyEffects DependencyManager::Graph::On(const News& news) {
  if (IsWaitedOut(news)) return {};
  switch (news.what.kind) {
    case Kind::kListener: {
      if (news.what.name != options_.listener_name || !Learn(news, listener_)) return {};
      FollowRoutes();
      break;
    }
    case Kind::kRoutes: {
      if (news.what.name != routes_name_ || !Learn(news, routes_)) return {};
      WantRouting();
      break;
    }
    case Kind::kCluster:
      clusters_.ChangeCluster(news.what.name,
                              [&](KnownResource<Cluster>& known) { return Learn(news, known); });
      break;
    case Kind::kEndpoints:
      clusters_.ChangeEndpoints(
          news.what.name, [&](KnownResource<Endpoints>& known) { return Learn(news, known); });
      break;
  }
  return Settle();
}

DependencyEffects DependencyManager::Graph::On(const ClusterHeld& event) {
  Root& root = RootOf(event.cluster);
  ++root.holds;
  // Whatever changes of one that was applied is applied when it changes.
  if (root.applied.has_value()) return {};
  due_.insert(event.cluster);
  return Settle();
}

DependencyEffects DependencyManager::Graph::On(const ClusterLetGo& event) {
  const auto at = roots_.find(event.cluster);
  HOLDFAST_CHECK(at != roots_.end() && at->second.holds > 0);
  --at->second.holds;
  if (at->second.is_needed()) return {};
  unneeded_.insert(event.cluster);
  return Settle();
}

// R11.03. What has failed before is not waited for, so that the newest reason is told; and where
// nothing works, failing is better than waiting.
bool DependencyManager::Graph::IsWaitedOut(const ResourceFailed& news) const {
  if (!IsUnheard(news.why)) return false;
  switch (news.what.kind) {
    case Kind::kListener:
      return false;  // As long as it is in force it is cached, and such an error an ambient one.
    case Kind::kRoutes:
      return routing_ != nullptr && !routes_.is_answered();
    case Kind::kCluster:
    case Kind::kEndpoints:
      break;
  }
  for (const std::string& name : clusters_.RootsThatWaitFor(news.what)) {
    const Root& root = roots_.at(name);
    const bool works = root.applied.has_value() && root.applied->ok();
    const bool would_replace = routing_ != nullptr && root.is_wanted && !root.is_in_force;
    if (works || would_replace) return true;
  }
  return false;
}

// R11.14: the old routes are left at once; their configuration stays until the new one is complete.
void DependencyManager::Graph::FollowRoutes() {
  const std::optional<std::string> name =
      listener_.value == nullptr ? std::nullopt : RdsNameOf(*listener_.value);
  if (name != routes_name_) {
    if (routes_name_.has_value()) stopped_.insert({Kind::kRoutes, *routes_name_});
    if (name.has_value()) started_.insert({Kind::kRoutes, *name});
    routes_name_ = name;
    routes_ = {};
  }
  WantRouting();
}

void DependencyManager::Graph::WantRouting() {
  const Dependency listener = {Kind::kListener, options_.listener_name};
  if (listener_.value == nullptr) {
    return Want(nullptr, ChannelUnusable(audience_, listener, listener_.failure));
  }
  auto routing = std::make_shared<RoutingConfig>();
  routing->listener = listener_.value;
  Dependency where = listener;
  if (routes_name_.has_value()) {
    where = {Kind::kRoutes, *routes_name_};
    if (!routes_.is_answered()) return Want(nullptr, absl::OkStatus());
    if (routes_.value == nullptr) {
      return Want(nullptr, ChannelUnusable(audience_, where, routes_.failure));
    }
    routing->routes = routes_.value;
  } else {
    routing->routes = {listener_.value, &std::get<RouteConfig>(listener_.value->routes)};
  }
  routing->virtual_host = FindVirtualHost(*routing->routes, options_.authority);
  if (routing->virtual_host == nullptr) {
    return Want(nullptr, NoVirtualHost(audience_, where, *routing->routes, options_.authority,
                                       NewestErrorsAbove()));
  }
  // Back to what is in force: there is nothing to apply.
  if (routing_ != nullptr && *routing == *routing_) return Want(routing_, absl::OkStatus());
  Want(std::move(routing), absl::OkStatus());
}

void DependencyManager::Graph::Want(std::shared_ptr<const RoutingConfig> routing,
                                    absl::Status failure) {
  std::set<std::string> before;
  if (wanted_ != nullptr) before = ClustersOf(*wanted_->virtual_host);
  wanted_ = std::move(routing);
  wanted_failure_ = std::move(failure);
  incomplete_.clear();
  due_.merge(std::exchange(held_back_, {}));
  std::set<std::string> now;
  if (wanted_ != nullptr) now = ClustersOf(*wanted_->virtual_host);
  for (const std::string& name : before) {
    if (now.count(name) > 0) continue;
    roots_.at(name).is_wanted = false;
    unneeded_.insert(name);
  }
  for (const std::string& name : now) {
    RootOf(name).is_wanted = true;
    if (!clusters_.IsComplete(name)) incomplete_.insert(name);
  }
}

DependencyManager::Graph::Root& DependencyManager::Graph::RootOf(const std::string& cluster) {
  const auto [at, is_new] = roots_.try_emplace(cluster);
  if (is_new) clusters_.AddRoot(cluster);
  return at->second;
}

DependencyEffects DependencyManager::Graph::Settle() {
  ConfigChange change;
  LookAtTouched();
  const bool fails = FailIfWanted();
  ApplyRoutingIfReady(change);
  DropUnneeded(change);
  ApplyClusters(change);

  WatchChanges watches = clusters_.TakeWatchChanges();
  watches.started.merge(std::exchange(started_, {}));
  watches.stopped.merge(std::exchange(stopped_, {}));
  DependencyEffects effects;
  for (const Dependency& what : watches.started) effects.emplace_back(WatchResource{what});
  if (fails) effects.emplace_back(FailCalls{failure_});
  if (!change.is_empty()) effects.emplace_back(ApplyConfig{std::move(change)});
  for (const Dependency& what : watches.stopped) effects.emplace_back(UnwatchResource{what});
  return effects;
}

void DependencyManager::Graph::LookAtTouched() {
  std::set<std::string> touched = clusters_.TakeTouched();
  for (const std::string& name : touched) {
    if (!roots_.at(name).is_wanted) continue;
    if (clusters_.IsComplete(name)) {
      incomplete_.erase(name);
    } else {
      incomplete_.insert(name);
    }
  }
  due_.merge(std::move(touched));
}

bool DependencyManager::Graph::FailIfWanted() {
  if (wanted_failure_.ok() || wanted_failure_ == failure_) return false;
  failure_ = wanted_failure_;
  routing_ = nullptr;
  routing_note_.clear();
  routes_error_.clear();
  for (auto& [name, root] : roots_) {
    root.is_in_force = false;
    unneeded_.insert(name);
  }
  return true;
}

void DependencyManager::Graph::ApplyRoutingIfReady(ConfigChange& change) {
  if (wanted_ != nullptr && wanted_ != routing_ && incomplete_.empty()) {
    change.routing = routing_ = wanted_;
    failure_ = absl::OkStatus();
    routes_error_.clear();
    due_.merge(std::exchange(held_back_, {}));
    for (auto& [name, root] : roots_) {
      root.is_in_force = root.is_wanted;
      if (root.is_in_force && !root.applied.has_value()) due_.insert(name);
      if (!root.is_needed()) unneeded_.insert(name);
    }
  }
  // Routes that were left keep the error they had, as long as they are in force.
  if (routing_ != nullptr && routes_.value != nullptr &&
      RdsNameOf(*routing_->listener) == routes_name_) {
    routes_error_ = routes_.ambient_error;
  }
}

void DependencyManager::Graph::DropUnneeded(ConfigChange& change) {
  for (const std::string& name : std::exchange(unneeded_, {})) {
    const auto at = roots_.find(name);
    if (at->second.is_needed()) continue;
    if (at->second.applied.has_value()) change.removed.push_back(name);
    clusters_.RemoveRoot(name);
    roots_.erase(at);
  }
}

void DependencyManager::Graph::ApplyClusters(ConfigChange& change) {
  std::set<std::string> due = std::exchange(due_, {});
  std::vector<NotePart> above = ErrorsAbove();
  const bool is_above_new = above != above_;
  above_ = std::move(above);
  if (routing_ != nullptr && (is_above_new || change.routing != nullptr)) {
    std::string note = ResolutionNote(above_, options_.node_id);
    if (note != routing_note_) change.routing_note = routing_note_ = std::move(note);
  }
  if (is_above_new) {
    for (auto& [name, root] : roots_) ApplyCluster(name, root, change);
    return;
  }
  for (const std::string& name : due) {
    const auto at = roots_.find(name);
    if (at != roots_.end()) ApplyCluster(name, at->second, change);
  }
}

void DependencyManager::Graph::ApplyCluster(const std::string& name, Root& root,
                                            ConfigChange& change) {
  if (!root.is_due() || !clusters_.IsComplete(name)) return;
  ClusterResult result = clusters_.ResultOf(name, above_);
  if (root.applied.has_value() && SameResult(*root.applied, result)) return;
  if (root.is_to_keep(result)) {
    held_back_.insert(name);
    return;
  }
  root.applied = result;
  change.clusters.emplace(name, std::move(result));
}

std::vector<NotePart> DependencyManager::Graph::ErrorsAbove() const {
  std::vector<NotePart> above;
  if (!listener_.ambient_error.empty()) {
    above.push_back({{Kind::kListener, options_.listener_name}, listener_.ambient_error});
  }
  if (!routes_error_.empty()) {
    above.push_back({{Kind::kRoutes, *RdsNameOf(*routing_->listener)}, routes_error_});
  }
  return above;
}

// Around routes that cannot be used, and are not in force.
std::vector<NotePart> DependencyManager::Graph::NewestErrorsAbove() const {
  std::vector<NotePart> above;
  if (!listener_.ambient_error.empty()) {
    above.push_back({{Kind::kListener, options_.listener_name}, listener_.ambient_error});
  }
  if (!routes_.ambient_error.empty()) {
    above.push_back({{Kind::kRoutes, *routes_name_}, routes_.ambient_error});
  }
  return above;
}

DependencyManager::DependencyManager(DependencyOptions options)
    : graph_(std::make_unique<Graph>(std::move(options))) {}

DependencyManager::~DependencyManager() = default;

DependencyEffects DependencyManager::Start() { return graph_->Start(); }

DependencyEffects DependencyManager::Handle(const DependencyEvent& event) {
  return std::visit([this](const auto& news) { return graph_->On(news); }, event);
}

}  // namespace holdfast
