// A route is read from its match to its action to its filter overrides. What makes a route useless
// to gRPC (R12.43, R12.44, R12.49, R12.55) ends the reading and skips the route: what comes after
// is not validated, as nothing will ever use it.
#include "resources/decode/route_config.h"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/config/route/v3/route.pb.h"
#include "resources/decode/decode.h"
#include "resources/decode/http_filter_decode.h"
#include "resources/decode/not_enforced.h"
#include "resources/decode/parts.h"
#include "resources/decode/retry_policy.h"
#include "resources/decode/route_action.h"
#include "resources/decode/route_match.h"

namespace holdfast {
namespace {

namespace route_pb = envoy::config::route::v3;
using Field = ValidationErrors::Field;

bool IsDomainPattern(absl::string_view domain) {
  if (domain == "*") return true;
  absl::string_view fixed = domain;
  if (absl::StartsWith(domain, "*")) {
    fixed.remove_prefix(1);
  } else if (absl::EndsWith(domain, "*")) {
    fixed.remove_suffix(1);
  }
  return !fixed.empty() && !absl::StrContains(fixed, "*");
}

std::vector<std::string> DecodeDomains(const route_pb::VirtualHost& message,
                                       ValidationErrors& errors) {
  if (message.domains().empty()) {
    const Field field(errors, ".domains");
    errors.Add("must not be empty; \"*\" stands for every domain");
  }
  std::vector<std::string> domains;
  for (const std::string& domain : message.domains()) {
    const Field field(errors, ".domains", domains.size());
    if (domain.empty()) {
      errors.Add("must not be empty; \"*\" stands for every domain");
    } else if (!IsDomainPattern(domain)) {
      errors.Add(absl::StrCat(Quoted(domain),
                              " is not a domain pattern: \"*\" may stand alone, at the start or at "
                              "the end"));
    }
    domains.push_back(domain);
  }
  return domains;
}

std::set<std::string> DecodePlugins(const route_pb::RouteConfiguration& message,
                                    ValidationErrors& errors) {
  std::set<std::string> names;
  for (int i = 0; i < message.cluster_specifier_plugins_size(); ++i) {
    const Field plugin_field(errors, ".cluster_specifier_plugins", static_cast<size_t>(i));
    const Field extension_field(errors, ".extension");
    const route_pb::ClusterSpecifierPlugin& plugin = message.cluster_specifier_plugins(i);
    if (!names.insert(plugin.extension().name()).second) {
      const Field field(errors, ".name");
      errors.Add(
          absl::StrCat(Quoted(plugin.extension().name()), " is the name of an earlier plugin too"));
    }
    const Field field(errors, ".typed_config");
    const Extension extension = DecodeExtension(plugin.extension().typed_config(), errors);
    if (extension.type.empty() || plugin.is_optional()) continue;
    errors.Add(absl::StrCat("unknown plugin type ", Quoted(extension.type),
                            "; set is_optional if clients may skip the routes that use it"));
  }
  return names;
}

// Reads the routes of one virtual host.
class VirtualHostDecoder {
 public:
  VirtualHostDecoder(const RouteScope& scope, std::string path, ValidationErrors& errors,
                     std::vector<std::string>& not_enforced)
      : scope_(scope), path_(std::move(path)), errors_(errors), not_enforced_(not_enforced) {}

  VirtualHost Decode(const route_pb::VirtualHost& message) {
    VirtualHost host;
    host.name = message.name();
    host.domains = DecodeDomains(message, errors_);
    host.filter_overrides = DecodeFilterOverrides(message, errors_);
    if (message.has_retry_policy()) {
      const Field field(errors_, ".retry_policy");
      retry_policy_ = DecodeRetryPolicy(message.retry_policy(), errors_);
    }
    for (size_t i = 0; i < static_cast<size_t>(message.routes_size()); ++i) {
      const Field field(errors_, ".routes", i);
      std::optional<Route> route = DecodeRoute(message.routes(static_cast<int>(i)), i);
      // What is refused is read to the end, but not kept.
      if (route.has_value() && errors_.ok()) host.routes.push_back(*std::move(route));
    }
    return host;
  }

 private:
  // nullopt: the route is skipped.
  std::optional<Route> DecodeRoute(const route_pb::Route& message, size_t index) {
    Route route;
    route.name = message.name();
    {
      const Field field(errors_, ".match");
      if (!message.has_match()) {
        errors_.Add("must be set");
      } else {
        std::optional<RouteMatch> match = DecodeRouteMatch(message.match(), errors_);
        if (!match.has_value()) return std::nullopt;
        route.match = *std::move(match);
      }
    }
    if (!DecodeAction(message, index, route)) return std::nullopt;
    route.filter_overrides = DecodeFilterOverrides(message, errors_);
    return route;
  }

  // False: the route is skipped.
  bool DecodeAction(const route_pb::Route& message, size_t index, Route& route) {
    switch (message.action_case()) {
      case route_pb::Route::kRoute:
        return DecodeForward(message.route(), index, route);
      case route_pb::Route::kNonForwardingAction:
        route.action = NonForwardingAction{};
        return true;
      case route_pb::Route::kRedirect:
        route.action = UnsupportedAction{"redirect"};
        return true;
      case route_pb::Route::kDirectResponse:
        route.action = UnsupportedAction{"direct_response"};
        return true;
      case route_pb::Route::kFilterAction:
        route.action = UnsupportedAction{"filter_action"};
        return true;
      case route_pb::Route::ACTION_NOT_SET:
        route.action = UnsupportedAction{};
        return true;
    }
    return true;
  }

  bool DecodeForward(const route_pb::RouteAction& message, size_t index, Route& route) {
    const Field field(errors_, ".route");
    std::optional<ForwardAction> action = DecodeForwardAction(message, scope_, errors_);
    if (!action.has_value()) return false;
    const std::string path = absl::StrCat(path_, ".routes[", index, "].route");
    // A route's own policy hides its virtual host's, even if it retries nothing.
    if (!message.has_retry_policy()) {
      action->retry_policy = retry_policy_;
      if (retry_policy_.has_value() && !std::exchange(noted_retry_policy_, true)) {
        NoteNotEnforced(absl::StrCat(path_, ".retry_policy"), not_enforced_);
      }
    } else if (action->retry_policy.has_value()) {
      NoteNotEnforced(absl::StrCat(path, ".retry_policy"), not_enforced_);
    }
    if (!action->hash_policies.empty()) {
      NoteNotEnforced(absl::StrCat(path, ".hash_policy"), not_enforced_);
    }
    if (action->auto_host_rewrite) {
      NoteNotEnforced(absl::StrCat(path, ".auto_host_rewrite"), not_enforced_);
    }
    route.action = *std::move(action);
    return true;
  }

  const RouteScope& scope_;
  const std::string path_;  // "virtual_hosts[2]"
  ValidationErrors& errors_;
  std::vector<std::string>& not_enforced_;
  std::optional<RetryPolicy> retry_policy_;
  bool noted_retry_policy_ = false;
};

}  // namespace

RouteConfig DecodeRoutes(const route_pb::RouteConfiguration& message, const DecodeContext& context,
                         ValidationErrors& errors, std::vector<std::string>& not_enforced) {
  const RouteScope scope{.plugins = DecodePlugins(message, errors),
                         .is_trusted_server = context.features.trusted_xds_server};
  RouteConfig config;
  config.name = message.name();
  for (size_t i = 0; i < static_cast<size_t>(message.virtual_hosts_size()); ++i) {
    const Field field(errors, ".virtual_hosts", i);
    VirtualHostDecoder decoder(scope, absl::StrCat("virtual_hosts[", i, "]"), errors, not_enforced);
    config.virtual_hosts.push_back(decoder.Decode(message.virtual_hosts(static_cast<int>(i))));
  }
  return config;
}

Decoded<RouteConfig> DecodeRouteConfig(absl::string_view bytes, const DecodeContext& context) {
  Decoded<RouteConfig> decoded;
  decoded.errors.KeepBeforeOthers(context.matters);
  route_pb::RouteConfiguration message;
  if (ParseMessage(bytes, message, decoded.errors)) {
    decoded.resource = DecodeRoutes(message, context, decoded.errors, decoded.not_enforced);
  }
  return decoded;
}

}  // namespace holdfast
