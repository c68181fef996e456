// Resources for tests, written as text and sent as bytes.
//
//   std::string bytes = FromText("envoy.config.cluster.v3.Cluster", R"pb(
//     name: "payments"
//     type: EDS
//     transport_socket { typed_config {
//       [type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext] {}
//     } })pb");
//
// Knows every message under proto/. Our generated classes are lite and cannot read text, so the
// messages are built from the descriptor set that protoc wrote beside them.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}

namespace holdfast {

// The bytes of a message. A type we do not have or a text that does not parse ends the program
// with the reason: the test itself is wrong.
std::string FromText(absl::string_view message_type, absl::string_view text);

// An empty message with reflection; null for a type we do not have.
std::unique_ptr<google::protobuf::Message> NewMessage(absl::string_view message_type);

}  // namespace holdfast
