// One xDS server of a bootstrap: where it is, how to reach it, what it can do.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "bootstrap/credentials.h"
#include "bootstrap/json_fields.h"
#include "xds/server_features.h"

namespace holdfast {

// All of it is the server's identity: equal servers, of whichever authority, share one channel and
// one stream (R1.101, R7.30). What a bootstrap says beyond this (unknown features, credentials that
// were not chosen) is not kept, so it cannot tell two servers apart.
struct XdsServerConfig {
  std::string server_uri;
  ChannelCredentialsConfig channel_credentials;
  std::vector<JwtTokenFileCallCredentials> call_credentials;
  ServerFeatures features;

  friend bool operator==(const XdsServerConfig&, const XdsServerConfig&) = default;
  friend std::strong_ordering operator<=>(const XdsServerConfig&, const XdsServerConfig&) = default;
};

// "xds_servers" of the bootstrap or of an authority.
std::vector<XdsServerConfig> ReadXdsServers(const ObjectReader& reader, Presence presence,
                                            JsonFindings& findings);

}  // namespace holdfast
