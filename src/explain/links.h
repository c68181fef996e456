// Where a resource leads: to other resources by name, to addresses in the end.
//
//   listener ─▶ route configuration ─▶ cluster ─▶ endpoints ─▶ 127.0.0.1:9001
//            ─▶ cluster (inline routes)        ─▶ cluster (aggregate)
//                                              ─▶ pay.example:443 (DNS, static)
//
// Reads any client's resources, Envoy's too, valid or not: what can be seen in them is shown, and
// whether a client would take them is not asked here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace holdfast {

struct Link {
  std::string type;  // "envoy.config.cluster.v3.Cluster"
  std::string name;  // canonical

  friend bool operator==(const Link&, const Link&) = default;
  friend auto operator<=>(const Link&, const Link&) = default;
};

// A virtual host of routes: for whom it speaks, and where its routes lead.
struct HostLinks {
  std::vector<std::string> domains;
  std::vector<Link> refers_to;

  friend bool operator==(const HostLinks&, const HostLinks&) = default;
};

struct Links {
  std::vector<Link> refers_to;         // by type and name, each once
  std::vector<std::string> addresses;  // HOST:PORT, in their order, each once
  // Those of them that gRPC never calls: their locality has no weight. Envoy does call them.
  std::vector<std::string> unused_addresses;
  // What a gRPC client makes of it that the lists do not say; empty if nothing. Of a cluster: what
  // Holdfast's channels make of its policy, which is no trouble of other clients.
  std::string remark;
  // Of routes, also those inside a listener that gRPC would use; nullopt: it has none, or nobody
  // told. All that they refer to is in `refers_to` too.
  std::optional<std::vector<HostLinks>> virtual_hosts;

  friend bool operator==(const Links&, const Links&) = default;
};

// `bytes` is the resource itself, not in an Any. INVALID_ARGUMENT if that is no message; no links
// for a type that has none. Endpoints that are draining or marked as not healthy are left out.
absl::StatusOr<Links> LinksOf(absl::string_view type, absl::string_view bytes);

// The same as a client goes that calls this authority: only through the virtual host that speaks
// for it, and not to addresses that gRPC does not call. nullopt: no virtual host speaks for it.
std::optional<Links> LinksFor(absl::string_view authority, Links links);

}  // namespace holdfast
