// `services:`, the short form: a name and addresses instead of four resources.
//
//   - name: web
//     lb: round_robin
//     endpoints: ["127.0.0.1:9001", {address: "[::1]:9002", weight: 3}]
//
// becomes a Listener, a RouteConfiguration, a Cluster and a ClusterLoadAssignment, all called
// "web", that refer to each other over ADS. gRPC clients use all four; Envoy the last two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/config/field_problems.h"
#include "control/config/schema.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

struct ServiceEndpoint {
  std::string host;  // an IP address, without brackets
  uint32_t port = 0;
  uint32_t weight = 1;

  friend bool operator==(const ServiceEndpoint&, const ServiceEndpoint&) = default;
};

struct Service {
  std::string name;
  std::string lb;  // of the words that `lb:` takes
  std::vector<ServiceEndpoint> endpoints;

  friend bool operator==(const Service&, const Service&) = default;
};

// Whatever could be read; mistakes are in `problems`. Without a name nothing else counts.
Service ReadService(YamlNode node, FieldPath& path, FieldProblems& problems);

// Its four resources, as JSON that has a "@type": what a schema does not have is left out if it is
// no more than good manners (a stat_prefix).
struct ResourceJson {
  absl::string_view type;
  std::string json;
};
std::vector<ResourceJson> ResourcesOf(const Service& service, const Schema& schema);

// Which part of a service a field of one of its resources came from: "endpoints[1]" for
// "endpoints[0].lb_endpoints[1].endpoint" of the endpoints; "" if from none.
std::string FieldOfService(absl::string_view type, absl::string_view field);
// What is said about such a field, which may name another one.
std::string TextForService(absl::string_view type, absl::string_view text);

}  // namespace holdfast
