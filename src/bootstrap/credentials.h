// The credentials that a bootstrap gives to an xDS channel: which files, never what is in them.
//
// Other rooms read the files and make gRPC credentials of them. Equality and order are here because
// credentials are part of a server's identity (R7.30).
#pragma once

#include <compare>
#include <string>
#include <variant>
#include <vector>

#include "bootstrap/certificate_files.h"
#include "bootstrap/json_fields.h"

namespace holdfast {

// "insecure".
struct InsecureChannelCredentials {
  friend bool operator==(const InsecureChannelCredentials&,
                         const InsecureChannelCredentials&) = default;
  friend std::strong_ordering operator<=>(const InsecureChannelCredentials&,
                                          const InsecureChannelCredentials&) = default;
};

// "tls" (gRFC A65). Without a CA file the system's roots count; with a certificate it is mTLS.
struct TlsChannelCredentials {
  CertificateFiles files;

  friend bool operator==(const TlsChannelCredentials&, const TlsChannelCredentials&) = default;
  friend std::strong_ordering operator<=>(const TlsChannelCredentials&,
                                          const TlsChannelCredentials&) = default;
};

using ChannelCredentialsConfig = std::variant<InsecureChannelCredentials, TlsChannelCredentials>;

// "jwt_token_file" (gRFC A97), the only type of call credentials there is.
struct JwtTokenFileCallCredentials {
  std::string jwt_token_file;

  friend bool operator==(const JwtTokenFileCallCredentials&,
                         const JwtTokenFileCallCredentials&) = default;
  friend std::strong_ordering operator<=>(const JwtTokenFileCallCredentials&,
                                          const JwtTokenFileCallCredentials&) = default;
};

// The first supported type of "channel_creds"; all entries are checked. That none is supported is
// an error, and then the result means nothing.
ChannelCredentialsConfig ReadChannelCredentials(const ObjectReader& server, JsonFindings& findings);

// All supported types of "call_creds".
std::vector<JwtTokenFileCallCredentials> ReadCallCredentials(const ObjectReader& server,
                                                             JsonFindings& findings);

}  // namespace holdfast
