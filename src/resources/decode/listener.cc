#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/config/listener/v3/listener.pb.h"
#include "envoy/config/route/v3/route.pb.h"
#include "envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.pb.h"
#include "resources/decode/decode.h"
#include "resources/decode/http_filter_decode.h"
#include "resources/decode/parts.h"
#include "resources/decode/route_config.h"

namespace holdfast {
namespace {

namespace hcm_pb = envoy::extensions::filters::network::http_connection_manager::v3;
namespace listener_pb = envoy::config::listener::v3;
using Field = ValidationErrors::Field;

constexpr absl::string_view kConnectionManager =
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

void AddUnder(absl::string_view prefix, const std::vector<std::string>& paths,
              std::vector<std::string>& not_enforced) {
  for (const std::string& path : paths) not_enforced.push_back(absl::StrCat(prefix, path));
}

// Whoever sees the caller's address through a proxy could be lied to (gRFC A41).
void CheckOriginOfCalls(const hcm_pb::HttpConnectionManager& manager, ValidationErrors& errors) {
  if (manager.xff_num_trusted_hops() != 0) {
    const Field field(errors, ".xff_num_trusted_hops");
    errors.Add(absl::StrCat("must be 0 (got ", manager.xff_num_trusted_hops(), ")"));
  }
  if (manager.original_ip_detection_extensions_size() > 0) {
    const Field field(errors, ".original_ip_detection_extensions");
    errors.Add(
        absl::StrCat("must be empty (got ", manager.original_ip_detection_extensions_size(), ")"));
  }
}

Listener::RdsName DecodeRds(const hcm_pb::Rds& rds, ValidationErrors& errors) {
  const Field field(errors, ".rds");
  {
    const Field source(errors, ".config_source");
    RequireAdsOrSelf(rds.config_source(), errors);
  }
  if (rds.route_config_name().empty()) {
    const Field name(errors, ".route_config_name");
    errors.Add("must not be empty");
  }
  return {rds.route_config_name()};
}

void DecodeRouteSource(const hcm_pb::HttpConnectionManager& manager, const DecodeContext& context,
                       Decoded<Listener>& decoded) {
  switch (manager.route_specifier_case()) {
    case hcm_pb::HttpConnectionManager::kRds:
      decoded.resource.routes = DecodeRds(manager.rds(), decoded.errors);
      return;
    case hcm_pb::HttpConnectionManager::kRouteConfig: {
      const Field field(decoded.errors, ".route_config");
      std::vector<std::string> not_enforced;
      decoded.resource.routes =
          DecodeRoutes(manager.route_config(), context, decoded.errors, not_enforced);
      AddUnder("api_listener.api_listener.route_config.", not_enforced, decoded.not_enforced);
      return;
    }
    case hcm_pb::HttpConnectionManager::kScopedRoutes:
      decoded.errors.Add("must have rds or route_config (got scoped_routes)");
      return;
    case hcm_pb::HttpConnectionManager::ROUTE_SPECIFIER_NOT_SET:
      decoded.errors.Add("must have rds or route_config (got neither)");
      return;
  }
}

void DecodeManager(const hcm_pb::HttpConnectionManager& manager, const DecodeContext& context,
                   Decoded<Listener>& decoded) {
  CheckOriginOfCalls(manager, decoded.errors);
  if (manager.common_http_protocol_options().has_max_stream_duration()) {
    const Field field(decoded.errors, ".common_http_protocol_options.max_stream_duration");
    decoded.resource.max_stream_duration = DecodeDuration(
        manager.common_http_protocol_options().max_stream_duration(), decoded.errors);
  }
  {
    // Not used, but checked as every Duration is.
    const Field field(decoded.errors, ".common_http_protocol_options.idle_timeout");
    DecodeDuration(manager.common_http_protocol_options().idle_timeout(), decoded.errors);
  }
  std::vector<std::string> not_enforced;
  decoded.resource.http_filters = DecodeHttpFilters(manager, decoded.errors, not_enforced);
  AddUnder("api_listener.api_listener.", not_enforced, decoded.not_enforced);
  DecodeRouteSource(manager, context, decoded);
}

// If there is an address too, the listener is still a client's (R12.01).
void DecodeApiListener(const listener_pb::ApiListener& api_listener, const DecodeContext& context,
                       Decoded<Listener>& decoded) {
  const Field outer(decoded.errors, ".api_listener");
  const Field inner(decoded.errors, ".api_listener");
  if (!api_listener.has_api_listener()) {
    decoded.errors.Add(absl::StrCat("must be set; it must hold ", kConnectionManager));
    return;
  }
  const Extension extension = DecodeExtension(api_listener.api_listener(), decoded.errors);
  if (extension.type.empty()) return;
  if (extension.type != kConnectionManager) {
    decoded.errors.Add(
        absl::StrCat("must hold ", kConnectionManager, " (got ", Quoted(extension.type), ")"));
    return;
  }
  hcm_pb::HttpConnectionManager manager;
  if (!ParseExtension(extension, manager, decoded.errors)) return;
  DecodeManager(manager, context, decoded);
}

}  // namespace

Decoded<Listener> DecodeListener(absl::string_view bytes, const DecodeContext& context) {
  Decoded<Listener> decoded;
  decoded.errors.KeepBeforeOthers(context.matters);
  listener_pb::Listener message;
  if (!ParseMessage(bytes, message, decoded.errors)) return decoded;
  decoded.resource.name = message.name();
  if (message.has_api_listener()) {
    DecodeApiListener(message.api_listener(), context, decoded);
  } else if (message.has_address()) {
    decoded.errors.Add(
        "this build does not support listeners of gRPC servers (without api_listener) yet");
  } else {
    decoded.errors.Add("must have an api_listener (got neither that nor an address)");
  }
  return decoded;
}

}  // namespace holdfast
