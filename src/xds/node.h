// Who a client says it is: envoy.config.core.v3.Node as a plain struct.
#pragma once

#include <string>
#include <vector>

#include "base/json_value.h"

namespace holdfast {

struct Locality {
  std::string region;
  std::string zone;
  std::string sub_zone;

  friend bool operator==(const Locality&, const Locality&) = default;
  friend auto operator<=>(const Locality&, const Locality&) = default;
};

struct Node {
  std::string id;
  std::string cluster;
  Locality locality;
  JsonValue::Object metadata;
  // Filled by the library, never taken from a bootstrap (R1.06).
  std::string user_agent_name;
  std::string user_agent_version;
  std::vector<std::string> client_features;

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace holdfast
