// Whether an xDS server takes a stream, which a connection that opens does not tell: certificates
// may have expired, the server may be full, or be no xDS server.
#pragma once

#include <string>

#include "bootstrap/xds_server_config.h"

namespace holdfast {

// Opens a stream as a client with this bootstrap would, and says nothing on it: with a request it
// would be a client of that node id in the eyes of the server, one more that comes and goes. So a
// server that ends streams only once it has read a request seems to take them. "" if the stream
// stands for half a second; else why it does not. Takes at most 2 s.
std::string TryStream(const XdsServerConfig& server);

}  // namespace holdfast
