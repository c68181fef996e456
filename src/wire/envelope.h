// Reads a response without decoding what is in it: finds the type, name and bytes of each
// resource, so that a client can compare before it decodes.
//
// One pass over the fields at the top of each message, no copy, no allocation a resource. What is
// returned points into `message`.
//
// Whatever the bytes are: fields in any order, the last of a repeated single field wins, unknown
// fields are skipped, a length is never trusted. If the response itself is broken there is an error
// and nothing else (R5.07). If it can be read but not be used, it has a `problem`, and what a
// client needs to say so to the server (R1.12). If only one entry is broken, that entry has a
// `problem` and the others are as good as ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xds/discovery.h"

namespace holdfast {

// Entries of every kind in one response. A response of two-byte entries would otherwise grow a
// hundredfold when read.
inline constexpr size_t kMostEntries = 1'000'000;

// Of the version, the nonce and the type: a client keeps and repeats them for each resource.
inline constexpr size_t kMostHeadBytes = 4096;

// The number of the string field that names a resource of this type ("envoy.config…", without
// prefix); 0 if the message itself has no such field.
using NameFieldOf = absl::FunctionRef<uint32_t(absl::string_view type_name)>;

// SotW. Entries in envoy.service.discovery.v3.Resource are unwrapped (R1.80).
absl::StatusOr<DiscoveryResponse> ScanResponse(absl::string_view message,
                                               NameFieldOf name_field_of);

// The same of a message that came in pieces, without joining them: only entries that were cut are,
// in `joined`, which must live as long as the response.
absl::StatusOr<DiscoveryResponse> ScanResponse(absl::Span<const absl::string_view> pieces,
                                               NameFieldOf name_field_of,
                                               std::deque<std::string>& joined);

absl::StatusOr<DiscoveryResponse> ScanDeltaResponse(absl::string_view message);

// "envoy.config.cluster.v3.Cluster" of "type.googleapis.com/envoy.config.cluster.v3.Cluster".
absl::string_view WithoutTypeUrlPrefix(absl::string_view type_url);

}  // namespace holdfast
