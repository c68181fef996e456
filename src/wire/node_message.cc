#include "wire/node_message.h"

#include <string>

#include "envoy/config/core/v3/core.pb.h"
#include "wire/struct_json.h"

namespace holdfast {

namespace core = ::envoy::config::core::v3;

void WriteNode(const Node& node, core::Node& message) {
  message.set_id(node.id);
  message.set_cluster(node.cluster);
  if (!node.metadata.empty()) StructFromJson(node.metadata, *message.mutable_metadata());
  if (node.locality != Locality()) {
    core::Locality& locality = *message.mutable_locality();
    locality.set_region(node.locality.region);
    locality.set_zone(node.locality.zone);
    locality.set_sub_zone(node.locality.sub_zone);
  }
  message.set_user_agent_name(node.user_agent_name);
  if (!node.user_agent_version.empty()) message.set_user_agent_version(node.user_agent_version);
  for (const std::string& feature : node.client_features) message.add_client_features(feature);
}

Node ReadNode(const core::Node& message) {
  Node node;
  node.id = message.id();
  node.cluster = message.cluster();
  node.metadata = JsonFromStruct(message.metadata());
  node.locality = {message.locality().region(), message.locality().zone(),
                   message.locality().sub_zone()};
  node.user_agent_name = message.user_agent_name();
  node.user_agent_version = message.user_agent_version();
  node.client_features.assign(message.client_features().begin(), message.client_features().end());
  return node;
}

}  // namespace holdfast
