// Requests and responses of ADS, to and from bytes. Responses are read by envelope.h.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xds/discovery.h"

namespace holdfast {

std::string Encode(const DiscoveryRequest& request);
std::string Encode(const DeltaDiscoveryRequest& request);

// INVALID_ARGUMENT for what is no such message.
absl::StatusOr<DiscoveryRequest> ParseRequest(absl::string_view message);
absl::StatusOr<DeltaDiscoveryRequest> ParseDeltaRequest(absl::string_view message);

// An entry with `is_wrapped` goes inside a wrapper with its name, version, aliases and TTL.
// REQUIRES: no entry and no error has a `problem`; no name is in both lists (R2.33).
std::string EncodeResponse(const DiscoveryResponse& response);
// Here every entry has a wrapper; `is_wrapped` does not matter.
std::string EncodeDeltaResponse(const DiscoveryResponse& response);

}  // namespace holdfast
