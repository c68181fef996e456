// What full_tls.py's transport sockets are to us.
#pragma once

#include "resources/cluster.h"

namespace holdfast {

// The newer of two ways to name a certificate provider counts. Ignored: alpn_protocols, trusted_ca,
// allow_expired_certificate, trust_chain_verification, watched_directory.
inline UpstreamTls MutualTls() {
  using Kind = StringMatcher::Kind;
  return {
      .ca = UpstreamTls::Provider{"ca-provider", "ca-certificate"},
      .identity = UpstreamTls::Provider{"identity-provider", "identity-certificate"},
      .subject_alt_names =
          {
              {.kind = Kind::kExact, .pattern = "san.example.com"},
              {.kind = Kind::kPrefix, .pattern = "spiffe://", .ignore_case = true},
              {.kind = Kind::kSuffix, .pattern = ".example.org"},
              {.kind = Kind::kSafeRegex, .pattern = "san-[0-9]+"},
              {.kind = Kind::kContains, .pattern = "middle"},
          },
      .sni = "sni.example.com",
      .auto_host_sni = true,
  };
}

// The older way to name a provider of CAs would count only if nothing newer said anything.
inline UpstreamTls SystemRootTls() {
  return {.system_root_certs = true, .auto_sni_san_validation = true};
}

}  // namespace holdfast
