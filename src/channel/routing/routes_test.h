// Routes and calls in few words, for tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/routing/route_table.h"
#include "resources/route_config.h"

namespace holdfast {

using CallMetadata = std::multimap<std::string, std::string>;

inline RouteMatch Prefix(std::string path) {
  return {.kind = RouteMatch::PathKind::kPrefix, .path = std::move(path)};
}
inline RouteMatch Path(std::string path) {
  return {.kind = RouteMatch::PathKind::kPath, .path = std::move(path)};
}
inline RouteMatch Regex(std::string regex) {
  return {.kind = RouteMatch::PathKind::kSafeRegex, .path = std::move(regex)};
}
inline RouteMatch IgnoringCase(RouteMatch match) {
  match.case_sensitive = false;
  return match;
}
inline RouteMatch WithHeader(RouteMatch match, const std::string& name, const std::string& value) {
  match.headers.push_back(
      {.name = name, .rule = StringMatcher{StringMatcher::Kind::kExact, value}});
  return match;
}
inline RouteMatch OfAMillion(RouteMatch match, uint32_t per_million) {
  match.per_million = per_million;
  return match;
}

inline Route To(const std::string& cluster, RouteMatch match) {
  return {.match = std::move(match), .action = ForwardAction{.clusters = cluster}};
}

inline VirtualHost Host(std::vector<Route> routes) {
  return {.name = "pay", .domains = {"*"}, .routes = std::move(routes)};
}

// A host whose routes lead to clusters "0", "1", ... by their place.
inline VirtualHost Numbered(const std::vector<RouteMatch>& matches) {
  VirtualHost host = Host({});
  for (const RouteMatch& match : matches) {
    host.routes.push_back(To(absl::StrCat(host.routes.size()), match));
  }
  return host;
}

// The cluster, or "UNAVAILABLE: ...".
inline std::string Chosen(const RouteTable& table, absl::string_view path,
                          const CallMetadata& metadata, Chance chance) {
  const RouteChoice choice = table.Choose({path, metadata}, chance);
  return choice.failure.has_value() ? choice.failure->ToString() : table.clusters()[choice.cluster];
}

}  // namespace holdfast
