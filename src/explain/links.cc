#include "explain/links.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"
#include "channel/routing/virtual_host.h"
#include "control/catalog/references.h"
#include "explain/field_path.h"
#include "resources/route_config.h"
#include "wire/wire_writer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// More than anybody reads; a list of endpoints may have any number.
constexpr size_t kMostAddresses = 1000;

// envoy.config.core.v3.Address.
std::string AddressText(absl::string_view address) {
  const std::optional<absl::string_view> socket = FieldAt(address, {1});
  if (!socket.has_value()) return "";
  const absl::string_view host = TextAt(*socket, {2});
  if (host.empty()) return "";
  const bool is_ipv6 = host.find(':') != absl::string_view::npos;
  const absl::string_view named_port = TextAt(*socket, {4});
  return absl::StrCat(
      is_ipv6 ? "[" : "", BoundedText(host), is_ipv6 ? "]" : "", ":",
      named_port.empty() ? absl::StrCat(NumberAt(*socket, 3)) : BoundedText(named_port));
}

// envoy.config.core.v3.HealthStatus.
constexpr uint64_t kUnknown = 0, kHealthy = 1, kDraining = 3;

class Assignment {
 public:
  explicit Assignment(Links& links) : links_(links) {}

  // envoy.config.endpoint.v3.ClusterLoadAssignment.
  void Read(absl::string_view assignment) {
    ForEachAt(assignment, {2}, [this](absl::string_view locality) { ReadLocality(locality); });
  }

  // What the addresses do not say, in one line; empty if nothing.
  std::string Remark() const {
    if (localities_ == 0) return "it has no localities";
    std::vector<std::string> remarks;
    if (localities_without_weight_ == localities_) {
      remarks.push_back("no locality has a load_balancing_weight, and gRPC uses none without");
    } else if (localities_without_weight_ > 0) {
      remarks.push_back(absl::StrCat(localities_without_weight_, " of ", localities_,
                                     " localities without a load_balancing_weight, and gRPC uses "
                                     "none without"));
    }
    AddCount(not_healthy_, "marked as not healthy", remarks);
    AddCount(draining_, "draining", remarks);
    return absl::StrJoin(remarks, "; ");
  }

  // Whoever is in a locality with weight too is called there.
  void Finish() {
    for (const std::string& address : links_.addresses) {
      if (!used_.contains(address)) links_.unused_addresses.push_back(address);
    }
  }

 private:
  static void AddCount(size_t count, absl::string_view what, std::vector<std::string>& remarks) {
    if (count == 0) return;
    remarks.push_back(absl::StrCat(count, count == 1 ? " endpoint is " : " endpoints are ", what));
  }

  void ReadLocality(absl::string_view locality) {
    ++localities_;
    const std::optional<absl::string_view> weight = FieldAt(locality, {3});
    has_weight_ = weight.has_value() && NumberAt(*weight, 1) != 0;
    if (!has_weight_) ++localities_without_weight_;
    const auto read = [this](absl::string_view endpoint) { ReadEndpoint(endpoint); };
    ForEachAt(locality, {2}, read);
    ForEachAt(locality, {7, 1}, read);  // load_balancer_endpoints
  }

  // What drains is kept (R12.84) for calls that belong to it, and no other call goes there.
  void ReadEndpoint(absl::string_view lb_endpoint) {
    const uint64_t health = NumberAt(lb_endpoint, 2);
    if (health == kDraining) ++draining_;
    if (health != kUnknown && health != kHealthy && health != kDraining) ++not_healthy_;
    if (health != kUnknown && health != kHealthy) return;
    const auto add = [this](absl::string_view address) { Add(AddressText(address)); };
    ForEachAt(lb_endpoint, {1, 1}, add);
    ForEachAt(lb_endpoint, {1, 4, 1}, add);  // additional_addresses
  }

  void Add(std::string address) {
    if (address.empty() || links_.addresses.size() == kMostAddresses) return;
    if (has_weight_) used_.insert(address);
    if (seen_.insert(address).second) links_.addresses.push_back(std::move(address));
  }

  Links& links_;
  std::set<std::string> seen_;
  std::set<std::string> used_;
  bool has_weight_ = false;  // the locality that is being read
  size_t localities_ = 0;
  size_t localities_without_weight_ = 0;
  size_t not_healthy_ = 0;
  size_t draining_ = 0;
};

std::vector<Link> Followed(absl::string_view type, absl::string_view bytes) {
  std::vector<Link> links;
  for (ResourceKey& key : ReferencesOf(type, bytes)) {
    links.push_back({std::move(key.type), std::move(key.name)});
  }
  return links;
}

// envoy.config.route.v3.RouteConfiguration: virtual_hosts = 2, and there domains = 2.
std::vector<HostLinks> HostsOf(absl::string_view routes) {
  std::vector<HostLinks> hosts;
  ForEachAt(routes, {2}, [&hosts](absl::string_view host) {
    HostLinks& links = hosts.emplace_back();
    ForEachAt(host, {2},
              [&links](absl::string_view domain) { links.domains.emplace_back(domain); });
    std::string alone;  // as if the routes had no other
    AppendField(alone, 2, host);
    links.refers_to = Followed(kRouteConfigTypeName, alone);
  });
  return hosts;
}

// The routes inside the listener of a gRPC client: api_listener.api_listener is an Any with an
// HttpConnectionManager, whose route_config is 4.
std::optional<std::vector<HostLinks>> HostsInside(absl::string_view listener) {
  if (!absl::EndsWith(TextAt(listener, {19, 1, 1}), ".v3.HttpConnectionManager")) {
    return std::nullopt;
  }
  const std::optional<absl::string_view> routes = FieldAt(listener, {19, 1, 2, 4});
  if (!routes.has_value()) return std::nullopt;
  return HostsOf(*routes);
}

// envoy.config.cluster.v3.Cluster: lb_policy = 6, which load_balancing_policy = 41 overrides: there
// policies = 1, typed_extension_config = 4, typed_config = 2.
std::string PolicyRemark(absl::string_view cluster) {
  constexpr uint64_t kLeastRequest = 1, kRingHash = 2;
  absl::string_view typed;  // the first, which gRPC takes unless it does not know it
  ForEachAt(cluster, {41, 1, 4, 2, 1}, [&typed](absl::string_view type_url) {
    if (typed.empty()) typed = type_url;
  });
  const uint64_t old = typed.empty() ? NumberAt(cluster, 6) : 0;
  absl::string_view policy;
  if (old == kRingHash || absl::EndsWith(typed, ".ring_hash.v3.RingHash")) policy = "ring_hash";
  if (old == kLeastRequest || absl::EndsWith(typed, ".least_request.v3.LeastRequest")) {
    policy = "least_request";
  }
  if (policy.empty()) return "";
  return absl::StrCat("asks for ", policy,
                      ", which Holdfast's channels do not have yet: their calls fail");
}

}  // namespace

absl::StatusOr<Links> LinksOf(absl::string_view type, absl::string_view bytes) {
  if (!IsMessage(bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("not a serialized ", BoundedText(type),
                                                   ": truncated or not protobuf (", bytes.size(),
                                                   " bytes)"));
  }
  Links links;
  links.refers_to = Followed(type, bytes);
  Assignment assignment(links);
  if (type == kEndpointsTypeName) {
    assignment.Read(bytes);
    assignment.Finish();
    links.remark = assignment.Remark();
  } else if (type == kClusterTypeName) {
    // load_assignment: of a cluster whose endpoints are in itself, or behind a DNS name.
    ForEachAt(bytes, {33}, [&](absl::string_view inside) { assignment.Read(inside); });
    links.remark = PolicyRemark(bytes);
  } else if (type == kRouteConfigTypeName) {
    links.virtual_hosts = HostsOf(bytes);
  } else if (type == kListenerTypeName) {
    links.virtual_hosts = HostsInside(bytes);
  }
  return links;
}

std::optional<Links> LinksFor(absl::string_view authority, Links links) {
  for (const std::string& unused : links.unused_addresses) std::erase(links.addresses, unused);
  if (!links.virtual_hosts.has_value()) return links;
  RouteConfig config;  // of which only the domains count here
  for (const HostLinks& host : *links.virtual_hosts) {
    config.virtual_hosts.emplace_back().domains = host.domains;
  }
  const VirtualHost* const speaks = FindVirtualHost(config, authority);
  if (speaks == nullptr) return std::nullopt;
  const auto place = static_cast<size_t>(speaks - config.virtual_hosts.data());
  links.refers_to = (*links.virtual_hosts)[place].refers_to;
  return links;
}

}  // namespace holdfast
