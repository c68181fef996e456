// Names of certificate files, as "tls" channel credentials (gRFC A65) and the "file_watcher"
// certificate provider (gRFC A29, A87) give them. Only the names: other rooms read the files.
#pragma once

#include <compare>
#include <string>

#include "absl/time/time.h"
#include "base/json_value.h"
#include "bootstrap/json_fields.h"

namespace holdfast {

// Empty means "not given".
struct CertificateFiles {
  std::string ca_certificate_file;
  // Both or neither.
  std::string certificate_file;
  std::string private_key_file;
  std::string spiffe_trust_bundle_map_file;
  absl::Duration refresh_interval = absl::Seconds(600);

  friend bool operator==(const CertificateFiles&, const CertificateFiles&) = default;
  friend std::strong_ordering operator<=>(const CertificateFiles&,
                                          const CertificateFiles&) = default;
};

// REQUIRES: `config` is an object.
CertificateFiles ReadCertificateFiles(const JsonValue& config, JsonFindings& findings);

}  // namespace holdfast
