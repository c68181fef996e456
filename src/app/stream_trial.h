// Whether an xDS server takes a stream, which a connection that opens does not tell: certificates
// may have expired, the server may be full, or be no xDS server.
#pragma once

#include <string>

#include "bootstrap/xds_server_config.h"

namespace holdfast {

// Opens a stream as a client with this bootstrap would, and says nothing on it, so that nobody is
// taken for a client. "" if it stands for half a second; else why it does not. Takes at most 2 s.
std::string TryStream(const XdsServerConfig& server);

}  // namespace holdfast
