#include "channel/routing/route_table.h"

#include <cstddef>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "channel/routing/cluster_shares.h"
#include "channel/routing/header_match.h"
#include "channel/routing/path_index.h"
#include "channel/routing/route_rule.h"
#include "channel/routing/route_text.h"
#include "channel/routing/timeouts.h"

namespace holdfast {
namespace {

struct Destination {
  ClusterShares clusters;
  std::optional<absl::Duration> longest;
};
// Why a call that takes the route fails: `route "x" (...) has ...`.
struct DeadEnd {
  std::string why;
};
using Outcome = std::variant<Destination, DeadEnd>;

struct TableRoute {
  RouteRule rule;
  Outcome outcome;
};

std::vector<std::string> AllClusters(const std::vector<Route>& routes) {
  std::set<std::string> names;
  for (const Route& route : routes) {
    const auto* action = std::get_if<ForwardAction>(&route.action);
    if (action == nullptr) continue;
    for (std::string& name : ClusterNames(*action)) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

Outcome OutcomeOf(const Route& route, const std::vector<std::string>& clusters,
                  std::optional<absl::Duration> default_longest) {
  if (const auto* action = std::get_if<ForwardAction>(&route.action)) {
    return Destination{ClusterShares(*action, clusters), LongestCall(*action, default_longest)};
  }
  if (std::holds_alternative<NonForwardingAction>(route.action)) {
    return DeadEnd{absl::StrCat(RouteText(route), " has a non_forwarding_action, ",
                                "which is for servers; a client needs one with a cluster")};
  }
  const std::string& field = std::get<UnsupportedAction>(route.action).field;
  if (field.empty()) {
    return DeadEnd{absl::StrCat(RouteText(route), " has no action; it needs one with a cluster")};
  }
  return DeadEnd{absl::StrCat(RouteText(route), " has the action ", field,
                              ", which gRPC does not support; it needs one with a cluster")};
}

// Of a route that asks for nothing but a prefix. Such a one is often the first, and often all there
// is in a table.
std::optional<std::string> PlainPrefixOf(const RouteMatch& match) {
  if (match.kind != RouteMatch::PathKind::kPrefix || !match.case_sensitive) return std::nullopt;
  if (!match.headers.empty() || match.per_million.has_value()) return std::nullopt;
  return match.path;
}

std::string NoMatchText(size_t routes) {
  if (routes == 0) return "it has no route for gRPC calls";
  if (routes == 1) return "its only route does not match";
  return absl::StrCat("none of its ", routes, " routes matches");
}

}  // namespace

class RouteTable::Index {
 public:
  Index(const VirtualHost& virtual_host, std::optional<absl::Duration> default_longest)
      : name_(virtual_host.name),
        clusters_(AllClusters(virtual_host.routes)),
        not_enforced_(NotEnforced(virtual_host)),
        paths_(virtual_host.routes),
        first_prefix_(virtual_host.routes.empty()
                          ? std::nullopt
                          : PlainPrefixOf(virtual_host.routes.front().match)) {
    routes_.reserve(virtual_host.routes.size());
    for (const Route& route : virtual_host.routes) {
      routes_.push_back(
          {RouteRule(route.match, names_), OutcomeOf(route, clusters_, default_longest)});
    }
  }

  const std::vector<std::string>& clusters() const { return clusters_; }
  const std::vector<std::string>& not_enforced() const { return not_enforced_; }

  RouteChoice Choose(const RoutedCall& call, Chance chance) const {
    const TableRoute* route = FirstMatch(call, chance);
    if (route == nullptr) return Failure(call, NoMatchText(routes_.size()));
    if (const auto* destination = std::get_if<Destination>(&route->outcome)) {
      return {.cluster = destination->clusters.Choose(chance), .longest = destination->longest};
    }
    return Failure(call, std::get<DeadEnd>(route->outcome).why);
  }

 private:
  const TableRoute* FirstMatch(const RoutedCall& call, Chance chance) const {
    // No other route comes before it, so it needs no index.
    if (first_prefix_.has_value() && absl::StartsWith(call.path, *first_prefix_)) {
      return &routes_.front();
    }
    PathCandidates candidates = paths_.Find(call.path);
    std::optional<CallHeaders> headers;
    while (const std::optional<uint32_t> position = candidates.Next()) {
      const TableRoute& route = routes_[*position];
      if (route.rule.Accepts(call, headers, chance)) return &route;
    }
    return nullptr;
  }

  RouteChoice Failure(const RoutedCall& call, absl::string_view why) const {
    return {.failure = absl::UnavailableError(absl::StrCat(
                "no route for ", Quoted(call.path), ": virtual host ", Quoted(name_), ": ", why))};
  }

  const std::string name_;
  const std::vector<std::string> clusters_;
  const std::vector<std::string> not_enforced_;
  const PathIndex paths_;
  const std::optional<std::string> first_prefix_;
  HeaderNames names_;
  std::vector<TableRoute> routes_;
};

RouteTable::RouteTable(const VirtualHost& virtual_host,
                       std::optional<absl::Duration> default_longest)
    : index_(std::make_unique<const Index>(virtual_host, default_longest)) {}

RouteTable::~RouteTable() = default;

RouteChoice RouteTable::Choose(const RoutedCall& call, Chance chance) const {
  return index_->Choose(call, chance);
}

const std::vector<std::string>& RouteTable::clusters() const { return index_->clusters(); }

const std::vector<std::string>& RouteTable::not_enforced() const { return index_->not_enforced(); }

}  // namespace holdfast
