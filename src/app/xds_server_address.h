// Where the xDS servers of a bootstrap listen, as far as that can be tried without gRPC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "bootstrap/bootstrap.h"
#include "explain/verdict.h"

namespace holdfast {

// HOST:PORT of a server_uri in any of gRPC's ways to write it; nullopt for what is no TCP address,
// or several.
//
//   cp:18000, dns:cp:18000, dns:///cp:18000, dns://8.8.8.8/cp:18000   cp:18000
//   ipv4:10.0.0.1:18000, ipv6:[::1]:18000                             10.0.0.1:18000, [::1]:18000
//   dns:///cp                                                         cp:443
//   unix:/run/cp.sock                                                 nullopt
std::optional<std::string> AddressOfServer(absl::string_view server_uri);

// The servers that a client asks for this: those of its authority, if it has servers of its own.
const std::vector<XdsServerConfig>& ServersFor(const Question& question,
                                               const BootstrapConfig& bootstrap);

}  // namespace holdfast
