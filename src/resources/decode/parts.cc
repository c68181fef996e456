#include "resources/decode/parts.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/struct.pb.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/extensions/filters/http/gcp_authn/v3/gcp_authn.pb.h"
#include "envoy/type/v3/type.pb.h"
#include "resources/decode/decode.h"
#include "resources/decode/ip_literal.h"
#include "udpa/type/v1/typed_struct.pb.h"
#include "wire/parse_message.h"
#include "wire/struct_json.h"
#include "wire/wire_reader.h"
#include "xds/type/v3/typed_struct.pb.h"

namespace holdfast {
namespace {

namespace core = envoy::config::core::v3;
using Field = ValidationErrors::Field;

constexpr int64_t kMostSeconds = 315576000000;  // about 10,000 years
constexpr int32_t kMostNanos = 999999999;

// A field of two bytes may take hundreds in memory. No real resource has so many.
constexpr size_t kMostParts = 2'000'000;
constexpr int kPartsDepth = 8;
constexpr size_t kFewBytes = size_t{1} << 20;  // can hold no number of fields that matters

constexpr uint32_t kMillion = 1000000;
constexpr uint32_t kMostPort = 65535;

absl::string_view SourceKind(const core::ConfigSource& source) {
  switch (source.config_source_specifier_case()) {
    case core::ConfigSource::kPath:
      return "path";
    case core::ConfigSource::kApiConfigSource:
      return "api_config_source";
    case core::ConfigSource::kAds:
      return "ads";
    case core::ConfigSource::kSelf:
      return "self";
    case core::ConfigSource::kPathConfigSource:
      return "path_config_source";
    case core::ConfigSource::CONFIG_SOURCE_SPECIFIER_NOT_SET:
      break;
  }
  return "nothing";
}

absl::string_view AddressKind(const core::Address& address) {
  switch (address.address_case()) {
    case core::Address::kSocketAddress:
      return "socket_address";
    case core::Address::kPipe:
      return "pipe";
    case core::Address::kEnvoyInternalAddress:
      return "envoy_internal_address";
    case core::Address::ADDRESS_NOT_SET:
      break;
  }
  return "nothing";
}

// What comes after the last "/" of a type URL; empty after an error.
std::string TypeFromUrl(absl::string_view url, ValidationErrors& errors) {
  const Field field(errors, ".type_url");
  if (url.empty()) {
    errors.Add("is empty, so the type of what is inside is unknown");
    return "";
  }
  const size_t slash = url.rfind('/');
  if (slash == absl::string_view::npos || slash + 1 == url.size()) {
    errors.Add(
        absl::StrCat("must look like type.googleapis.com/package.Message (got ", Quoted(url), ")"));
    return "";
  }
  return std::string(url.substr(slash + 1));
}

// TypedStruct is xds.type.v3's or udpa.type.v1's.
template <class TypedStruct>
Extension ExtensionFromStruct(absl::string_view bytes, ValidationErrors& errors) {
  const Field field(errors, ".value");
  TypedStruct message;
  Extension extension;
  if (!ParseMessage(bytes, message, errors)) return extension;
  extension.is_struct = true;
  extension.type = TypeFromUrl(message.type_url(), errors);
  extension.json = JsonFromStruct(message.value());
  return extension;
}

using MetadataValue = Metadata::mapped_type;

std::optional<MetadataValue> DecodeTypedMetadata(const google::protobuf::Any& any,
                                                 ValidationErrors& errors) {
  const Extension extension = DecodeExtension(any, errors);
  if (extension.type == "envoy.extensions.filters.http.gcp_authn.v3.Audience") {
    envoy::extensions::filters::http::gcp_authn::v3::Audience audience;
    if (!ParseExtension(extension, audience, errors)) return std::nullopt;
    if (audience.url().empty()) {
      const Field field(errors, ".url");
      errors.Add("must not be empty");
    }
    return GcpAudience{audience.url()};
  }
  if (extension.type == "envoy.config.core.v3.Address") {
    core::Address message;
    if (!ParseExtension(extension, message, errors)) return std::nullopt;
    const std::optional<SocketAddress> address = DecodeAddress(message, errors);
    if (!address.has_value()) return std::nullopt;
    return ProxyAddress{address->HostAndPort()};
  }
  return std::nullopt;
}

// Fields of `bytes` and of what is inside them, as far as that could be messages, up to a depth
// that reaches the routes in a listener. Text that happens to look like a message counts too.
size_t CountParts(absl::string_view bytes, int depth) {
  WireReader reader(bytes);
  WireField field;
  size_t parts = 0;
  while (reader.Next(field) && parts <= kMostParts) {
    ++parts;
    const bool may_be_message = field.type == WireType::kLengthDelimited && field.bytes.size() > 1;
    if (may_be_message && depth > 1) parts += CountParts(field.bytes, depth - 1);
  }
  return parts;
}

}  // namespace

bool ParseMessage(absl::string_view bytes, google::protobuf::MessageLite& message,
                  ValidationErrors& errors) {
  if (bytes.size() > kMostResourceBytes) {
    errors.Add(
        absl::StrCat("is ", bytes.size(), " bytes, the most accepted is ", kMostResourceBytes));
    return false;
  }
  if (bytes.size() > kFewBytes && CountParts(bytes, kPartsDepth) > kMostParts) {
    errors.Add(absl::StrCat("has more than ", kMostParts, " fields"));
    return false;
  }
  if (!ParseMessageQuietly(bytes, message)) {
    errors.Add(absl::StrCat("cannot be parsed as ", message.GetTypeName(), ": ", kUnparsable));
    return false;
  }
  return true;
}

absl::Duration DecodeDuration(const google::protobuf::Duration& duration,
                              ValidationErrors& errors) {
  const size_t errors_before = errors.count();
  if (duration.seconds() < 0 || duration.seconds() > kMostSeconds) {
    const Field field(errors, ".seconds");
    errors.Add(absl::StrCat("is ", duration.seconds(), ", must be from 0 to ", kMostSeconds));
  }
  if (duration.nanos() < 0 || duration.nanos() > kMostNanos) {
    const Field field(errors, ".nanos");
    errors.Add(absl::StrCat("is ", duration.nanos(), ", must be from 0 to ", kMostNanos));
  }
  if (errors.count() != errors_before) return absl::ZeroDuration();
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

uint32_t DecodeFraction(const envoy::type::v3::FractionalPercent& fraction,
                        ValidationErrors& errors) {
  using envoy::type::v3::FractionalPercent;
  uint64_t per_million = fraction.numerator();
  if (fraction.denominator() == FractionalPercent::HUNDRED) {
    per_million *= kMillion / 100;
  } else if (fraction.denominator() == FractionalPercent::TEN_THOUSAND) {
    per_million *= kMillion / 10000;
  } else if (fraction.denominator() != FractionalPercent::MILLION) {
    const Field field(errors, ".denominator");
    errors.Add(absl::StrCat("must be HUNDRED, TEN_THOUSAND or MILLION (got ",
                            static_cast<int>(fraction.denominator()), ")"));
    return 0;
  }
  return static_cast<uint32_t>(std::min<uint64_t>(per_million, kMillion));
}

void RequireAdsOrSelf(const core::ConfigSource& source, ValidationErrors& errors) {
  if (source.has_ads() || source.has_self()) return;
  errors.Add(absl::StrCat("must be ads or self (got ", SourceKind(source), ")"));
}

void RequireSelf(const core::ConfigSource& source, ValidationErrors& errors) {
  if (source.has_self()) return;
  errors.Add(absl::StrCat("must be self (got ", SourceKind(source), ")"));
}

Extension DecodeExtension(const google::protobuf::Any& any, ValidationErrors& errors) {
  Extension extension;
  extension.type = TypeFromUrl(any.type_url(), errors);
  if (extension.type == "xds.type.v3.TypedStruct") {
    return ExtensionFromStruct<xds::type::v3::TypedStruct>(any.value(), errors);
  }
  if (extension.type == "udpa.type.v1.TypedStruct") {
    return ExtensionFromStruct<udpa::type::v1::TypedStruct>(any.value(), errors);
  }
  extension.bytes = any.value();
  return extension;
}

bool ParseExtension(const Extension& extension, google::protobuf::MessageLite& message,
                    ValidationErrors& errors) {
  if (extension.is_struct) {
    errors.Add(
        absl::StrCat("must be ", message.GetTypeName(), " itself (got it as a TypedStruct)"));
    return false;
  }
  return ParseMessage(extension.bytes, message, errors);
}

std::optional<SocketAddress> DecodeIpAddress(const core::SocketAddress& address,
                                             ValidationErrors& errors) {
  const std::optional<std::string> ip = CanonicalIp(address.address());
  if (!ip.has_value()) {
    const Field field(errors, ".address");
    errors.Add(absl::StrCat("must be an IP address (got ", Quoted(address.address()),
                            "); only a LOGICAL_DNS cluster may use a host name"));
  }
  const std::optional<uint16_t> port = DecodePort(address, errors);
  if (!ip.has_value() || !port.has_value()) return std::nullopt;
  return SocketAddress{*ip, *port};
}

std::optional<uint16_t> DecodePort(const core::SocketAddress& address, ValidationErrors& errors) {
  if (address.protocol() != core::SocketAddress::TCP) {
    const Field protocol(errors, ".protocol");
    errors.Add(absl::StrCat(
        "must be TCP (got ",
        EnumText(core::SocketAddress::Protocol_Name(address.protocol()), address.protocol()), ")"));
    return std::nullopt;
  }
  const Field field(errors, ".port_value");
  if (!address.has_port_value()) {
    errors.Add(address.has_named_port()
                   ? absl::StrCat("must be set (got named_port ", Quoted(address.named_port()), ")")
                   : "must be set");
    return std::nullopt;
  }
  if (address.port_value() > kMostPort) {
    errors.Add(absl::StrCat("is ", address.port_value(), ", the most is ", kMostPort));
    return std::nullopt;
  }
  return static_cast<uint16_t>(address.port_value());
}

bool RequireSocketAddress(const core::Address& address, ValidationErrors& errors) {
  if (address.has_socket_address()) return true;
  errors.Add(absl::StrCat("must be a socket_address (got ", AddressKind(address), ")"));
  return false;
}

std::optional<SocketAddress> DecodeAddress(const core::Address& address, ValidationErrors& errors) {
  if (!RequireSocketAddress(address, errors)) return std::nullopt;
  const Field field(errors, ".socket_address");
  return DecodeIpAddress(address.socket_address(), errors);
}

Metadata DecodeMetadata(const core::Metadata& metadata, ValidationErrors& errors) {
  Metadata decoded;
  for (const auto& [key, any] : InOrder(metadata.typed_filter_metadata())) {
    const Field field(errors, MapEntry(".typed_filter_metadata", key));
    std::optional<MetadataValue> value = DecodeTypedMetadata(*any, errors);
    if (value.has_value()) decoded.emplace(key, *std::move(value));
  }
  for (const auto& [key, object] : metadata.filter_metadata()) {
    if (decoded.contains(key)) continue;
    decoded.emplace(key, JsonValue{.value = JsonFromStruct(object)});
  }
  return decoded;
}

std::string MapEntry(absl::string_view field, absl::string_view key) {
  return absl::StrCat(field, "[", BoundedText(key), "]");
}

std::string EnumText(absl::string_view name, int number) {
  return name.empty() ? absl::StrCat(number) : std::string(name);
}

}  // namespace holdfast
