// CSDS (gRFC A40), the side that answers: a client's state as envoy.service.status.v3 shows it.
//
// What is written is `generic_xds_configs`; the older `xds_config` stays empty. Equal clients give
// equal bytes. Contents are copied once, from where the client keeps them into the message.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xds/client_status.h"

namespace holdfast {

struct ClientStatusRequest {
  bool has_node_matchers = false;  // what they say is not read
  bool exclude_resource_contents = false;

  friend bool operator==(const ClientStatusRequest&, const ClientStatusRequest&) = default;
};

// INVALID_ARGUMENT for what is no such message. What is inside the request's own node, which means
// nothing to a client, is not looked at.
absl::StatusOr<ClientStatusRequest> ParseClientStatusRequest(absl::string_view message);

enum class ResourceContents { kIncluded, kExcluded };

// RESOURCE_EXHAUSTED above 2 GiB, the most that protobuf reads.
absl::StatusOr<std::string> EncodeClientConfig(const ClientStatus& client,
                                               ResourceContents contents);
// One ClientConfig for each client, in their order.
absl::StatusOr<std::string> EncodeClientStatusResponse(absl::Span<const ClientStatus> clients,
                                                       ResourceContents contents);

}  // namespace holdfast
