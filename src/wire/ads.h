// Requests and responses of ADS, to and from bytes. Responses are read by envelope.h.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xds/discovery.h"

namespace holdfast {

// Equal structs encode to equal bytes. REQUIRES: what is written stays below 2 GiB.
std::string Encode(const DiscoveryRequest& request);
std::string Encode(const DeltaDiscoveryRequest& request);

// What a stranger may make us hold. A message is measured against it before it is parsed, because
// two bytes on the wire can become fifty in memory.
struct RequestLimits {
  // --max-names, which is about the different names of a stream and type, and those the session
  // counts. One request may repeat itself, and take back what it asked for before: it may have four
  // times as many entries. The versions of a returning client do not count: it may have been sent
  // more than it ever asked for by name.
  size_t most_names = 50'000;
  size_t most_initial_versions = 1'000'000;
  size_t most_node_bytes = size_t{64} << 10;
  size_t most_error_bytes = size_t{4} << 20;
};

// INVALID_ARGUMENT for what is no such message, RESOURCE_EXHAUSTED with the limit it exceeds.
absl::StatusOr<DiscoveryRequest> ParseRequest(absl::string_view message,
                                              const RequestLimits& limits = {});
absl::StatusOr<DeltaDiscoveryRequest> ParseDeltaRequest(absl::string_view message,
                                                        const RequestLimits& limits = {});

// An entry with `is_wrapped` goes inside a wrapper with its name, version and TTL.
// REQUIRES: neither the response nor an entry or error in it has a `problem`; no name is in both
// lists (R2.33).
std::string EncodeResponse(const DiscoveryResponse& response);
// Here every entry has a wrapper; `is_wrapped` does not matter.
std::string EncodeDeltaResponse(const DiscoveryResponse& response);

}  // namespace holdfast
