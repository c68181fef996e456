// envoy.config.core.v3.Node ↔ Node.
#pragma once

#include "xds/node.h"

namespace envoy::config::core::v3 {
class Node;
}

namespace holdfast {

// Every message that carries a node writes it with this, so CSDS shows what servers were told.
void WriteNode(const Node& node, envoy::config::core::v3::Node& message);
Node ReadNode(const envoy::config::core::v3::Node& message);

}  // namespace holdfast
