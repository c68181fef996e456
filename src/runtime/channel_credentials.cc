#include "runtime/channel_credentials.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/outside_text.h"
#include "runtime/text_file.h"

namespace holdfast {
namespace {

using Credentials = std::shared_ptr<grpc::ChannelCredentials>;

// gRPC counts whole seconds, at least one.
unsigned int RefreshSeconds(absl::Duration interval) {
  return static_cast<unsigned int>(std::clamp<int64_t>(absl::ToInt64Seconds(interval), 1,
                                                       std::numeric_limits<unsigned int>::max()));
}

// gRPC only logs what it cannot read, and every handshake fails for no reason that it tells.
absl::Status CheckFiles(const CertificateFiles& files) {
  struct NamedFile {
    absl::string_view key;
    const std::string& path;
  };
  for (const NamedFile& file : {NamedFile{"ca_certificate_file", files.ca_certificate_file},
                                NamedFile{"certificate_file", files.certificate_file},
                                NamedFile{"private_key_file", files.private_key_file}}) {
    if (file.path.empty()) continue;
    const absl::Status status = CheckTextFile(file.path);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(file.key, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Credentials> MakeTls(const CertificateFiles& files) {
  if (absl::Status status = CheckFiles(files); !status.ok()) return status;
  const bool has_roots = !files.ca_certificate_file.empty();
  const bool has_identity = !files.certificate_file.empty();
  grpc::experimental::TlsChannelCredentialsOptions options;
  if (has_roots || has_identity) {
    options.set_certificate_provider(
        std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
            files.private_key_file, files.certificate_file, files.ca_certificate_file,
            RefreshSeconds(files.refresh_interval)));
  }
  // Roots that are not watched are those of the system.
  if (has_roots) options.watch_root_certs();
  if (has_identity) options.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(options);
}

absl::StatusOr<Credentials> MakeFor(const ChannelCredentialsConfig& config) {
  if (const auto* tls = std::get_if<TlsChannelCredentials>(&config)) return MakeTls(tls->files);
  return grpc::InsecureChannelCredentials();
}

}  // namespace

absl::StatusOr<Credentials> MakeChannelCredentials(const XdsServerConfig& server) {
  const std::string where = absl::StrCat("xds server ", Quoted(server.server_uri));
  // Without them the server would take us for somebody else.
  if (!server.call_credentials.empty()) {
    return absl::UnimplementedError(
        absl::StrCat(where, ": call_creds: jwt_token_file is not supported yet"));
  }
  absl::StatusOr<Credentials> credentials = MakeFor(server.channel_credentials);
  if (!credentials.ok()) {
    return absl::Status(credentials.status().code(),
                        absl::StrCat(where, ": channel_creds: ", credentials.status().message()));
  }
  return credentials;
}

}  // namespace holdfast
