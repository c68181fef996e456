// HTTP filters of a client, as far as we know them: the chain of a Listener and the overrides of
// virtual hosts, routes and weighted clusters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "resources/matchers.h"

namespace holdfast {

// Always the last of a chain.
struct RouterFilter {
  friend bool operator==(const RouterFilter&, const RouterFilter&) = default;
};

// gRFC A33.
struct FaultFilter {
  struct Abort {
    // The gRPC status to fail with; an HTTP status is mapped when decoded. Absent: from headers.
    std::optional<int> grpc_code;
    bool from_headers = false;
    uint32_t per_million = 0;
    friend bool operator==(const Abort&, const Abort&) = default;
  };
  struct Delay {
    std::optional<absl::Duration> fixed;
    bool from_headers = false;
    uint32_t per_million = 0;
    friend bool operator==(const Delay&, const Delay&) = default;
  };

  std::optional<Abort> abort;
  std::optional<Delay> delay;
  std::vector<HeaderMatcher> headers;
  std::optional<uint32_t> max_active_faults;

  friend bool operator==(const FaultFilter&, const FaultFilter&) = default;
};

// gRFC A55. Without a cookie name the filter does nothing.
struct StatefulSessionFilter {
  std::string cookie_name;
  std::string cookie_path;
  absl::Duration cookie_ttl;

  friend bool operator==(const StatefulSessionFilter&, const StatefulSessionFilter&) = default;
};

struct HttpFilter {
  std::string name;
  std::variant<RouterFilter, FaultFilter, StatefulSessionFilter> config;
  bool is_disabled = false;  // does nothing, unless a route overrides it

  friend bool operator==(const HttpFilter&, const HttpFilter&) = default;
};

// What a virtual host, route or weighted cluster says instead of a filter's own config.
struct StatefulSessionOverride {
  // Absent: the filter is switched off here.
  std::optional<StatefulSessionFilter> session;
  friend bool operator==(const StatefulSessionOverride&, const StatefulSessionOverride&) = default;
};
// Only gRPC servers run RBAC; a client accepts the override of a shared route and skips it.
struct ServerOnlyOverride {
  friend bool operator==(const ServerOnlyOverride&, const ServerOnlyOverride&) = default;
};
using FilterOverride = std::variant<FaultFilter, StatefulSessionOverride, ServerOnlyOverride>;

// Keyed by the filter's name in the chain. A name that is in no chain is no error.
using FilterOverrides = std::map<std::string, FilterOverride>;

}  // namespace holdfast
