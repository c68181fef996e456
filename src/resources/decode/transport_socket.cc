#include "resources/decode/transport_socket.h"

#include <google/protobuf/any.pb.h>

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/extensions/transport_sockets/http_11_proxy/v3/http_11_proxy.pb.h"
#include "envoy/extensions/transport_sockets/tls/v3/tls.pb.h"
#include "envoy/type/matcher/v3/matcher.pb.h"
#include "resources/decode/match_parts.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace core_pb = envoy::config::core::v3;
namespace tls_pb = envoy::extensions::transport_sockets::tls::v3;
namespace proxy_pb = envoy::extensions::transport_sockets::http_11_proxy::v3;
using Field = ValidationErrors::Field;

constexpr char kTls[] = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
constexpr char kProxy[] =
    "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";
constexpr size_t kMostSniBytes = 255;

void Refuse(bool is_present, absl::string_view name, ValidationErrors& errors) {
  if (!is_present) return;
  const Field field(errors, name);
  errors.Add("is not supported");
}

// CertificateProviderPluginInstance, or its older twin.
template <class Message>
UpstreamTls::Provider DecodeProvider(const Message& message, absl::string_view name,
                                     ValidationErrors& errors) {
  const Field field(errors, name);
  if (message.instance_name().empty()) {
    const Field instance(errors, ".instance_name");
    errors.Add("must name a certificate provider of the bootstrap");
  }
  return {message.instance_name(), message.certificate_name()};
}

void DecodeValidationContext(const tls_pb::CertificateValidationContext& message, UpstreamTls& tls,
                             ValidationErrors& errors) {
  if (message.has_ca_certificate_provider_instance()) {
    tls.ca = DecodeProvider(message.ca_certificate_provider_instance(),
                            ".ca_certificate_provider_instance", errors);
  }
  tls.system_root_certs = message.has_system_root_certs() && !tls.ca.has_value();
  for (int i = 0; i < message.match_subject_alt_names_size(); ++i) {
    const Field field(errors, ".match_subject_alt_names", static_cast<size_t>(i));
    if (auto matcher = DecodeStringMatcher(message.match_subject_alt_names(i), errors)) {
      tls.subject_alt_names.push_back(*std::move(matcher));
    }
  }
  Refuse(!message.verify_certificate_spki().empty(), ".verify_certificate_spki", errors);
  Refuse(!message.verify_certificate_hash().empty(), ".verify_certificate_hash", errors);
  Refuse(message.has_require_signed_certificate_timestamp(),
         ".require_signed_certificate_timestamp", errors);
  Refuse(message.has_crl(), ".crl", errors);
  Refuse(message.has_custom_validator_config(), ".custom_validator_config", errors);
}

void DecodeValidation(const tls_pb::CommonTlsContext& message, UpstreamTls& tls,
                      ValidationErrors& errors) {
  if (message.has_validation_context_sds_secret_config()) {
    Refuse(true, ".validation_context_sds_secret_config", errors);
    return;
  }
  if (message.has_validation_context()) {
    const Field field(errors, ".validation_context");
    DecodeValidationContext(message.validation_context(), tls, errors);
  } else if (message.has_combined_validation_context()) {
    const auto& combined = message.combined_validation_context();
    const Field field(errors, ".combined_validation_context");
    {
      const Field inner(errors, ".default_validation_context");
      DecodeValidationContext(combined.default_validation_context(), tls, errors);
    }
    if (!tls.ca.has_value() && !tls.system_root_certs &&
        combined.has_validation_context_certificate_provider_instance()) {
      tls.ca = DecodeProvider(combined.validation_context_certificate_provider_instance(),
                              ".validation_context_certificate_provider_instance", errors);
    }
  }
  if (!tls.ca.has_value() && !tls.system_root_certs) {
    errors.Add(
        "must say how to check the server's certificate: a validation context with "
        "ca_certificate_provider_instance or system_root_certs");
  }
}

void DecodeIdentity(const tls_pb::CommonTlsContext& message, UpstreamTls& tls,
                    ValidationErrors& errors) {
  if (message.has_tls_certificate_provider_instance()) {
    tls.identity = DecodeProvider(message.tls_certificate_provider_instance(),
                                  ".tls_certificate_provider_instance", errors);
    return;
  }
  if (message.has_tls_certificate_certificate_provider_instance()) {
    tls.identity = DecodeProvider(message.tls_certificate_certificate_provider_instance(),
                                  ".tls_certificate_certificate_provider_instance", errors);
    return;
  }
  Refuse(!message.tls_certificates().empty(), ".tls_certificates", errors);
  Refuse(!message.tls_certificate_sds_secret_configs().empty(),
         ".tls_certificate_sds_secret_configs", errors);
}

UpstreamTls DecodeTls(const Extension& extension, ValidationErrors& errors) {
  UpstreamTls tls;
  tls_pb::UpstreamTlsContext message;
  if (!ParseExtension(extension, message, errors)) return tls;
  if (message.sni().size() > kMostSniBytes) {
    const Field field(errors, ".sni");
    errors.Add(absl::StrCat("is ", message.sni().size(), " bytes, the most is ", kMostSniBytes));
  }
  tls.sni = message.sni();
  tls.auto_host_sni = message.auto_host_sni();
  tls.auto_sni_san_validation = message.auto_sni_san_validation();

  const Field field(errors, ".common_tls_context");
  const tls_pb::CommonTlsContext& common = message.common_tls_context();
  DecodeValidation(common, tls, errors);
  DecodeIdentity(common, tls, errors);
  Refuse(common.has_tls_params(), ".tls_params", errors);
  Refuse(common.has_custom_handshaker(), ".custom_handshaker", errors);
  return tls;
}

void DecodeProxy(const Extension& extension, UpstreamSocket& socket, ValidationErrors& errors,
                 std::vector<std::string>& not_enforced) {
  socket.uses_http11_proxy = true;
  proxy_pb::Http11ProxyUpstreamTransport message;
  if (!ParseExtension(extension, message, errors)) return;
  if (!message.has_transport_socket()) return;
  const Field field(errors, ".transport_socket");
  const Field config(errors, ".typed_config");
  const Extension inner = DecodeExtension(message.transport_socket().typed_config(), errors);
  if (inner.type == kTls) {
    not_enforced.push_back("transport_socket.typed_config.transport_socket");
    socket.tls = DecodeTls(inner, errors);
  } else if (!inner.type.empty()) {
    errors.Add(absl::StrCat("must be of type ", kTls, ", or unset (got ", Quoted(inner.type), ")"));
  }
}

}  // namespace

UpstreamSocket DecodeTransportSocket(const core_pb::TransportSocket& message,
                                     ValidationErrors& errors,
                                     std::vector<std::string>& not_enforced) {
  UpstreamSocket socket;
  const Field field(errors, ".transport_socket");
  const Field config(errors, ".typed_config");
  const Extension extension = DecodeExtension(message.typed_config(), errors);
  if (extension.type == kTls) {
    socket.tls = DecodeTls(extension, errors);
  } else if (extension.type == kProxy) {
    DecodeProxy(extension, socket, errors, not_enforced);
  } else if (!extension.type.empty()) {
    errors.Add(absl::StrCat("must be of type ", kTls, " or ", kProxy, " (got ",
                            Quoted(extension.type), ")"));
  }
  not_enforced.push_back("transport_socket");
  return socket;
}

}  // namespace holdfast
