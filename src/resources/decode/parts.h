// The pieces that several resource types share: each reads one message, adds its errors at the
// current field, and returns the plain value.
//
// Messages are only named here; whoever calls includes their headers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json_value.h"
#include "base/validation_errors.h"
#include "resources/endpoints.h"
#include "resources/metadata.h"

namespace google::protobuf {
class Any;
class Duration;
class MessageLite;
}  // namespace google::protobuf
namespace envoy::config::core::v3 {
class Address;
class ConfigSource;
class Metadata;
class SocketAddress;
}  // namespace envoy::config::core::v3
namespace envoy::type::v3 {
class FractionalPercent;
}

namespace holdfast {

// Parses `bytes`; on failure adds one error that names the message and returns false. Checks
// kMostResourceBytes first.
bool ParseMessage(absl::string_view bytes, google::protobuf::MessageLite& message,
                  ValidationErrors& errors);

// A Duration in the range that protobuf defines and not negative; zero if it is not.
absl::Duration DecodeDuration(const google::protobuf::Duration& duration, ValidationErrors& errors);

// Of a million. Numerators above the denominator count as all of it.
uint32_t DecodeFraction(const envoy::type::v3::FractionalPercent& fraction,
                        ValidationErrors& errors);

// gRPC takes everything from its own xDS server: anything but ads and self is an error that says
// which of the others it was.
void RequireAdsOrSelf(const envoy::config::core::v3::ConfigSource& source,
                      ValidationErrors& errors);
// For load reports, which go to the server the cluster came from.
void RequireSelf(const envoy::config::core::v3::ConfigSource& source, ValidationErrors& errors);

// An extension: the type of what is inside an Any, seen through a TypedStruct.
struct Extension {
  std::string type;         // without "type.googleapis.com/"; empty after an error
  absl::string_view bytes;  // the message, unless is_struct; lives as long as the Any
  // xds.type.v3.TypedStruct or udpa.type.v1.TypedStruct: the value is JSON.
  bool is_struct = false;
  JsonValue::Object json;
};
Extension DecodeExtension(const google::protobuf::Any& any, ValidationErrors& errors);

// Parses the message of an extension whose type the caller knows; false after an error. A struct
// is one: we read the types we know only in their own form.
bool ParseExtension(const Extension& extension, google::protobuf::MessageLite& message,
                    ValidationErrors& errors);

// An IP literal and a port; nullopt after an error.
std::optional<SocketAddress> DecodeIpAddress(const envoy::config::core::v3::SocketAddress& address,
                                             ValidationErrors& errors);
// The same inside an Address, at ".socket_address".
std::optional<SocketAddress> DecodeAddress(const envoy::config::core::v3::Address& address,
                                           ValidationErrors& errors);
// An address that is no socket_address is an error that says what it is; false after one.
bool RequireSocketAddress(const envoy::config::core::v3::Address& address,
                          ValidationErrors& errors);
// The port of a TCP address, at ".port_value"; nullopt after an error.
std::optional<uint16_t> DecodePort(const envoy::config::core::v3::SocketAddress& address,
                                   ValidationErrors& errors);

// Typed entries of the types we know win over untyped ones of the same key; typed entries of other
// types count as absent (gRFC A83).
Metadata DecodeMetadata(const envoy::config::core::v3::Metadata& metadata,
                        ValidationErrors& errors);

// The entries of a protobuf map by key. The map itself has a new order in every process, and errors
// beyond the kept ones must not vary.
template <class Map>
std::map<std::string, const typename Map::mapped_type*> InOrder(const Map& map) {
  std::map<std::string, const typename Map::mapped_type*> in_order;
  for (const auto& [key, value] : map) in_order.emplace(key, &value);
  return in_order;
}

// For error texts and paths about what others wrote, however long or strange it is.

// ".field[key]", the name of a ValidationErrors::Field.
std::string MapEntry(absl::string_view field, absl::string_view key);
// "MURMUR_HASH_2", or "7" for a value newer than our schema: EnumText(Foo_Name(foo), foo).
std::string EnumText(absl::string_view name, int number);

}  // namespace holdfast
