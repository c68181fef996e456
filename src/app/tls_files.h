// The files of --tls-cert, --tls-key and --client-ca, checked before a server uses them: gRPC would
// only say that it cannot.
//
// An error names the option, the file and the reason, never what is in it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace grpc {
class ServerCredentials;
}

namespace holdfast {

struct TlsFiles {
  std::string certificate;  // "": no encryption
  std::string key;
  std::string client_ca;  // "": clients need no certificate
};

// INVALID_ARGUMENT, or what the system says of a file.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> CredentialsOf(const TlsFiles& files);

}  // namespace holdfast
