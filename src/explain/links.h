// Where a resource leads: to other resources by name, to addresses in the end.
//
//   listener ─▶ route configuration ─▶ cluster ─▶ endpoints ─▶ 127.0.0.1:9001
//            ─▶ cluster (inline routes)        ─▶ cluster (aggregate)
//                                              ─▶ pay.example:443 (DNS, static)
//
// Reads any client's resources, Envoy's too, valid or not: what can be seen in them is shown, and
// whether a client would take them is not asked here.
#pragma once

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

struct Links {
  std::vector<Link> refers_to;         // by type and name, each once
  std::vector<std::string> addresses;  // HOST:PORT, in their order, each once
  // What a gRPC client makes of it that the lists do not say; empty if nothing.
  std::string remark;

  friend bool operator==(const Links&, const Links&) = default;
};

// `bytes` is the resource itself, not in an Any. INVALID_ARGUMENT if that is no message; no links
// for a type that has none. Endpoints that are marked as not healthy are left out.
absl::StatusOr<Links> LinksOf(absl::string_view type, absl::string_view bytes);

}  // namespace holdfast
