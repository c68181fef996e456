// Texts of listeners and routes that the tests of this folder share: valid ones to break or extend.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/validation_errors.h"

namespace holdfast {

inline constexpr absl::string_view kListenerType = "envoy.config.listener.v3.Listener";
inline constexpr absl::string_view kRouteConfigType = "envoy.config.route.v3.RouteConfiguration";

// Parts of an HttpConnectionManager.
inline constexpr absl::string_view kRdsText =
    R"pb(rds {
           route_config_name: "routes"
           config_source { ads {} }
         })pb";
inline constexpr absl::string_view kRouterText =
    R"pb(http_filters {
           name: "router"
           typed_config {
             [type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {}
           }
         })pb";

// A filter with a config of any type, also of one we have no message for.
inline std::string FilterText(absl::string_view name, absl::string_view type,
                              absl::string_view more = "") {
  return absl::StrCat("http_filters { name: \"", name,
                      "\" typed_config { type_url: \"type.googleapis.com/", type, "\" } ", more,
                      " }");
}
inline std::string FaultText(absl::string_view fault) {
  return absl::StrCat(
      "http_filters { name: \"fault\" typed_config { "
      "[type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault] { ",
      fault, " } } }");
}
inline std::string SessionText(absl::string_view session) {
  return absl::StrCat(
      "http_filters { name: \"session\" typed_config { [type.googleapis.com/"
      "envoy.extensions.filters.http.stateful_session.v3.StatefulSession] { ",
      session, " } } }");
}
// A session_state that holds this cookie.
inline std::string CookieText(absl::string_view cookie) {
  return absl::StrCat(
      "session_state { name: \"cookie\" typed_config { [type.googleapis.com/"
      "envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState] { cookie { ",
      cookie, " } } } }");
}

// A Listener around the parts of an HttpConnectionManager.
inline std::string ListenerText(std::initializer_list<absl::string_view> manager) {
  return absl::StrCat(
      "name: \"front\" api_listener { api_listener { [type.googleapis.com/"
      "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] { ",
      absl::StrJoin(manager, " "), " } } }");
}

// A RouteConfiguration with one virtual host; with one route; with one match; with one action.
inline std::string HostText(absl::string_view host) {
  return absl::StrCat("name: \"routes\" virtual_hosts { name: \"host\" domains: \"*\" ", host,
                      " }");
}
inline std::string RouteText(absl::string_view route) {
  return HostText(absl::StrCat("routes { name: \"route\" ", route, " }"));
}
inline std::string MatchText(absl::string_view match) {
  return RouteText(absl::StrCat("match { ", match, " } route { cluster: \"payments\" }"));
}
inline std::string ActionText(absl::string_view action) {
  return RouteText(absl::StrCat("match { prefix: \"\" } route { ", action, " }"));
}
// One typed_per_filter_config entry for the filter "fault".
inline std::string OverrideText(absl::string_view any) {
  return absl::StrCat("typed_per_filter_config { key: \"fault\" value { ", any, " } }");
}

// "path: text", so that a failing test shows what differs.
inline std::vector<std::string> LinesOf(const std::vector<FieldError>& errors) {
  std::vector<std::string> lines;
  for (const FieldError& error : errors) lines.push_back(error.path + ": " + error.text);
  return lines;
}

}  // namespace holdfast
