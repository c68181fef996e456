// gRPC's credentials for the channel to an xDS server, made of what the bootstrap says of them.
//
// Certificate files are read again every refresh interval (gRFC A65), on a thread of gRPC's that
// lives as long as the credentials.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>

#include "absl/status/statusor.h"
#include "bootstrap/xds_server_config.h"

namespace holdfast {

// An error names the file and the reason, never what is in it: as the system says for a file that
// cannot be read now, INVALID_ARGUMENT for an empty one. What is wrong inside a file is found in
// the handshake. UNIMPLEMENTED for call credentials.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const XdsServerConfig& server);

}  // namespace holdfast
