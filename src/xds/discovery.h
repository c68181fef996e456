// Requests and responses of the aggregated discovery service, state of the world and delta, as
// plain structs. Both sides use them: a client writes requests and reads responses, a control
// plane the reverse.
//
// Responses hold views: of a response that was read, into the message it was read from; of one to
// be written, into whatever the writer keeps alive. Resources are bytes; nobody here decodes them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "xds/name_list.h"
#include "xds/node.h"

namespace holdfast {

inline constexpr absl::string_view kTypeUrlPrefix = "type.googleapis.com/";

// google.rpc.Status as it stands on the wire, where a code is any int32.
struct WireStatus {
  int32_t code = 0;
  std::string message;

  friend bool operator==(const WireStatus&, const WireStatus&) = default;
};

struct DiscoveryRequest {
  std::string version_info;
  std::optional<Node> node;
  NameList resource_names;
  std::string type_url;
  std::string response_nonce;
  std::optional<WireStatus> error_detail;

  friend bool operator==(const DiscoveryRequest&, const DiscoveryRequest&) = default;
};

struct DeltaDiscoveryRequest {
  std::optional<Node> node;
  std::string type_url;
  std::vector<std::string> subscribe;
  std::vector<std::string> unsubscribe;
  std::map<std::string, std::string> initial_resource_versions;
  std::string response_nonce;
  std::optional<WireStatus> error_detail;

  friend bool operator==(const DeltaDiscoveryRequest&, const DeltaDiscoveryRequest&) = default;
};

// One resource of a response. Aliases, which xRFC TP1 deprecates, are not read (R1.71).
struct ResourceEntry {
  // From the wrapper, else from the message itself; empty if it cannot be told.
  absl::string_view name;
  absl::string_view type_url;
  absl::string_view body;     // the message, serialized
  absl::string_view version;  // of the wrapper
  // SotW: it came, or is to go, inside envoy.service.discovery.v3.Resource.
  bool is_wrapped = false;
  bool has_body = false;  // a wrapper may come without (a TTL heartbeat)
  std::optional<absl::Duration> ttl;
  // Why the entry cannot be used, whatever its body says; empty if it can.
  std::string problem;

  friend bool operator==(const ResourceEntry&, const ResourceEntry&) = default;
};

// xRFC TP3: the server says why it does not send a resource.
struct ResourceError {
  absl::string_view name;
  int32_t code = 0;
  absl::string_view message;
  // Why the entry says nothing: no name, no detail, or a code that means success; empty if it is
  // well-formed.
  std::string problem;

  friend bool operator==(const ResourceError&, const ResourceError&) = default;
};

// A response of either variant: they differ on the wire, not in what they say.
struct DiscoveryResponse {
  // SotW: what an ACK repeats. Delta: for debugging only, each resource has its own.
  absl::string_view version_info;
  std::vector<ResourceEntry> resources;
  std::vector<absl::string_view> removed_resources;  // delta only
  absl::string_view type_url;
  absl::string_view nonce;
  absl::string_view control_plane;  // its identifier
  std::vector<ResourceError> resource_errors;
  // Why the response as a whole cannot be used; empty if it can. Then the lists are empty, and a
  // client NACKs it.
  std::string problem;

  friend bool operator==(const DiscoveryResponse&, const DiscoveryResponse&) = default;
};

}  // namespace holdfast
