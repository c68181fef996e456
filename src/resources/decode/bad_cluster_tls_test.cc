// Transport sockets that get their cluster rejected (R12.71, R12.76).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"

namespace holdfast {
namespace {

using ::testing::ValuesIn;

constexpr char kType[] = "envoy.config.cluster.v3.Cluster";
constexpr char kEds[] = R"(
  name: "payments" type: EDS eds_cluster_config { eds_config { ads {} } })";

constexpr char kTls[] = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr char kProxy[] =
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";

std::string Socket(absl::string_view any) {
  return absl::StrCat(R"(transport_socket { name: "tls" typed_config { )", any, " } }");
}

// A TLS context that is right but for `common` and `validation`, parts of its inner messages.
std::string Tls(absl::string_view common, absl::string_view validation) {
  return Socket(AnyText(
      kTls, absl::StrCat("common_tls_context { ", common,
                         " validation_context { system_root_certs {} ", validation, " } }")));
}

constexpr char kCommon[] = "transport_socket.typed_config.common_tls_context";
constexpr char kNoCa[] =
    "must say how to check the server's certificate: a validation context with "
    "ca_certificate_provider_instance or system_root_certs";

std::string Common(absl::string_view field) { return absl::StrCat(kCommon, ".", field); }
std::string Validation(absl::string_view field) {
  return absl::StrCat(kCommon, ".validation_context.", field);
}

const std::vector<BadResource>& Rows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"NoConfig",
       kEds,
       R"(transport_socket { name: "envoy.transport_sockets.tls" })",  // R12.71
       {{"transport_socket.typed_config.type_url",
         "is empty, so the type of what is inside is unknown"}}},
      {"Other",
       kEds,
       Socket(AnyText("envoy.config.core.v3.Locality", "")),  // R12.71
       {{"transport_socket.typed_config",
         absl::StrCat("must be of type ", kTls, " or ", kProxy,
                      " (got \"envoy.config.core.v3.Locality\")")}}},
      {"Garbage",
       kEds,  // R12.71
       Socket(absl::StrCat("type_url: \"type.googleapis.com/", kTls, "\" value: \"\\012\"")),
       {{"transport_socket.typed_config",
         absl::StrCat("cannot be parsed as ", kTls,
                      ": truncated, not protobuf, nested deeper than 100 levels, or a string that "
                      "is not UTF-8")}}},
      {"ProxyAroundOther",
       kEds,  // R12.71
       Socket(AnyText(kProxy, Socket(AnyText("envoy.config.core.v3.Locality", "")))),
       {{"transport_socket.typed_config.transport_socket.typed_config",
         absl::StrCat("must be of type ", kTls,
                      ", or unset (got \"envoy.config.core.v3.Locality\")")}}},
      {"ProxyAroundProxy",
       kEds,  // R12.71
       Socket(AnyText(kProxy, Socket(AnyText(kProxy, "")))),
       {{"transport_socket.typed_config.transport_socket.typed_config",
         absl::StrCat("must be of type ", kTls, ", or unset (got \"", kProxy, "\")")}}},
      {"ProxyAroundBadTls",
       kEds,  // R12.71
       Socket(AnyText(kProxy, Socket(AnyText(kTls, "")))),
       {{"transport_socket.typed_config.transport_socket.typed_config.common_tls_context", kNoCa}}},

      {"SniTooLong",
       kEds,  // R12.76
       Socket(AnyText(kTls, absl::StrCat("common_tls_context { validation_context { "
                                         "system_root_certs {} } } sni: \"",
                                         std::string(256, 'a'), "\""))),
       {{"transport_socket.typed_config.sni", "is 256 bytes, the most is 255"}}},

      {"NoValidationContext", kEds, Socket(AnyText(kTls, "")), {{kCommon, kNoCa}}},
      {"ValidationContextWithoutCa",
       kEds,
       Socket(AnyText(kTls, "common_tls_context { validation_context {} }")),
       {{kCommon, kNoCa}}},
      {"CaProviderWithoutName",
       kEds,
       Tls("", "ca_certificate_provider_instance {}"),
       {{Validation("ca_certificate_provider_instance.instance_name"),
         "must name a certificate provider of the bootstrap"}}},
      {"BadSubjectAltName",
       kEds,
       Tls("", "match_subject_alt_names {}"),  // R18.05
       {{Validation("match_subject_alt_names[0]"),
         "must have exact, prefix, suffix, contains or safe_regex"}}},
      {"CustomSubjectAltName",
       kEds,
       Tls("", "match_subject_alt_names { custom { name: \"lua\" } }"),  // R18.05
       {{Validation("match_subject_alt_names[0]"),
         "must have exact, prefix, suffix, contains or safe_regex (got custom)"}}},
      {"IdentityProviderWithoutName",
       kEds,
       Tls("tls_certificate_provider_instance {}", ""),
       {{Common("tls_certificate_provider_instance.instance_name"),
         "must name a certificate provider of the bootstrap"}}},
      {"CertificatesInside",
       kEds,
       Tls("tls_certificates {}", ""),
       {{Common("tls_certificates"), "is not supported"}}},
      {"CertificatesOverSds",
       kEds,
       Tls("tls_certificate_sds_secret_configs {}", ""),
       {{Common("tls_certificate_sds_secret_configs"), "is not supported"}}},
      {"ValidationOverSds",
       kEds,  // R18.05
       Socket(AnyText(kTls, "common_tls_context { validation_context_sds_secret_config {} }")),
       {{Common("validation_context_sds_secret_config"), "is not supported"}}},
      {"TlsParams",
       kEds,
       Tls("tls_params {}", ""),  // R18.05
       {{Common("tls_params"), "is not supported"}}},
      {"CustomHandshaker",
       kEds,
       Tls("custom_handshaker {}", ""),  // R18.05
       {{Common("custom_handshaker"), "is not supported"}}},
      {"Spki",
       kEds,
       Tls("", R"(verify_certificate_spki: "x")"),  // R18.05
       {{Validation("verify_certificate_spki"), "is not supported"}}},
      {"Hash",
       kEds,
       Tls("", R"(verify_certificate_hash: "x")"),  // R18.05
       {{Validation("verify_certificate_hash"), "is not supported"}}},
      {"SignedTimestamp",
       kEds,
       Tls("", "require_signed_certificate_timestamp {}"),  // R18.05
       {{Validation("require_signed_certificate_timestamp"), "is not supported"}}},
      {"Crl",
       kEds,
       Tls("", "crl {}"),  // R18.05
       {{Validation("crl"), "is not supported"}}},
      {"CustomValidator",
       kEds,
       Tls("", "custom_validator_config {}"),  // R18.05
       {{Validation("custom_validator_config"), "is not supported"}}},
  };
  return rows;
}

class BadTransportSocket : public ::testing::TestWithParam<BadResource> {};

TEST_P(BadTransportSocket, YieldsExactlyItsErrors) {
  const Decoded<Cluster> decoded = DecodeCluster(GetParam().Bytes(kType), {});
  EXPECT_EQ(decoded.errors.Sorted(), GetParam().errors) << decoded.errors.Text(1000);
}

INSTANTIATE_TEST_SUITE_P(Rules, BadTransportSocket, ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace holdfast
