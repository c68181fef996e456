// A certificate provider instance of a bootstrap (gRFC A29): a name that resources refer to, and
// what stands behind it.
#pragma once

#include <map>
#include <string>

#include "bootstrap/certificate_files.h"
#include "bootstrap/json_fields.h"

namespace holdfast {

struct CertificateProviderConfig {
  std::string plugin_name;  // "file_watcher": the only plugin we have
  CertificateFiles files;   // its config

  friend bool operator==(const CertificateProviderConfig&,
                         const CertificateProviderConfig&) = default;
};

// "certificate_providers", by instance name.
std::map<std::string, CertificateProviderConfig> ReadCertificateProviders(
    const ObjectReader& bootstrap, JsonFindings& findings);

}  // namespace holdfast
