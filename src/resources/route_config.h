// envoy.config.route.v3.RouteConfiguration, as far as a gRPC client uses it.
//
// Routes that no gRPC call can match (R12.43, R12.44) or whose cluster specifier is unknown
// (R12.49) are not in here: the decoder leaves them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "resources/http_filter.h"
#include "resources/matchers.h"

namespace holdfast {

// gRFC A44.
struct RetryPolicy {
  // The conditions we know, of "cancelled", "deadline-exceeded", "internal",
  // "resource-exhausted", "unavailable"; others in retry_on are ignored.
  std::vector<std::string> retry_on;
  uint32_t num_retries = 1;
  absl::Duration base_interval = absl::Milliseconds(25);
  absl::Duration max_interval = absl::Milliseconds(250);

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

// gRFC A42. Kinds that gRPC does not use are left out when decoded.
struct HashPolicy {
  struct Header {
    std::string name;
    // Both empty: the value as it is.
    std::string regex;
    std::string substitution;
    friend bool operator==(const Header&, const Header&) = default;
  };
  struct ChannelId {  // filter_state "io.grpc.channel_id"
    friend bool operator==(const ChannelId&, const ChannelId&) = default;
  };

  std::variant<Header, ChannelId> source;
  bool terminal = false;

  friend bool operator==(const HashPolicy&, const HashPolicy&) = default;
};

struct RouteMatch {
  enum class PathKind { kPrefix, kPath, kSafeRegex };
  PathKind kind = PathKind::kPrefix;
  std::string path;
  bool case_sensitive = true;
  std::vector<HeaderMatcher> headers;
  // Of a million calls that match everything else, how many take this route; absent: all.
  std::optional<uint32_t> per_million;

  friend bool operator==(const RouteMatch&, const RouteMatch&) = default;
};

struct WeightedCluster {
  std::string name;
  uint32_t weight = 0;  // never 0 after decoding
  FilterOverrides filter_overrides;

  friend bool operator==(const WeightedCluster&, const WeightedCluster&) = default;
};

struct ForwardAction {
  std::variant<std::string, std::vector<WeightedCluster>> clusters;
  // gRFC A31.
  std::optional<absl::Duration> max_stream_duration;
  std::optional<absl::Duration> grpc_timeout_header_max;
  std::optional<RetryPolicy> retry_policy;  // the route's, else its virtual host's
  std::vector<HashPolicy> hash_policies;
  bool auto_host_rewrite = false;  // gRFC A81; only from a trusted_xds_server

  friend bool operator==(const ForwardAction&, const ForwardAction&) = default;
};
// A route for gRPC servers: the call is handled here.
struct NonForwardingAction {
  friend bool operator==(const NonForwardingAction&, const NonForwardingAction&) = default;
};
// Valid for others; a gRPC call that matches the route fails.
struct UnsupportedAction {
  std::string field;  // "redirect"; empty if none was set
  friend bool operator==(const UnsupportedAction&, const UnsupportedAction&) = default;
};

struct Route {
  std::string name;
  RouteMatch match;
  std::variant<ForwardAction, NonForwardingAction, UnsupportedAction> action;
  FilterOverrides filter_overrides;

  friend bool operator==(const Route&, const Route&) = default;
};

struct VirtualHost {
  std::string name;
  std::vector<std::string> domains;
  std::vector<Route> routes;
  FilterOverrides filter_overrides;

  friend bool operator==(const VirtualHost&, const VirtualHost&) = default;
};

struct RouteConfig {
  std::string name;
  std::vector<VirtualHost> virtual_hosts;

  friend bool operator==(const RouteConfig&, const RouteConfig&) = default;
};

}  // namespace holdfast
