#include "xds/gauges.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xds/discovery.h"

namespace holdfast {
namespace {

// A server may be configured twice, with other credentials or features: the label cannot tell one
// from the other, and a lost connection must not hide behind a good one.
std::map<absl::string_view, bool> ConnectedServers(const ClientSnapshot& snapshot) {
  std::map<absl::string_view, bool> servers;
  for (const ServerSnapshot& server : snapshot.servers) {
    bool& is_connected = servers.try_emplace(server.uri, true).first->second;
    is_connected &= server.is_connected;
  }
  return servers;
}

// (authority, cache state, type URL)
using Kind = std::tuple<absl::string_view, absl::string_view, absl::string_view>;

// By kind first, by label once: a client may hold a hundred thousand resources of three kinds.
std::map<Kind, int64_t> CountedResources(const ClientSnapshot& snapshot) {
  std::map<Kind, int64_t> counts;
  for (const ResourceSnapshot& resource : snapshot.resources) {
    ++counts[{resource.authority, resource.cache_state, resource.type_url}];
  }
  return counts;
}

}  // namespace

std::vector<GaugeValue> GaugesOf(const ClientSnapshot& snapshot) {
  std::vector<GaugeValue> gauges;
  for (const auto& [uri, is_connected] : ConnectedServers(snapshot)) {
    gauges.push_back(
        {.instrument = &kConnected,
         .labels = {{"grpc.target", snapshot.key}, {"grpc.xds.server", std::string(uri)}},
         .value = is_connected ? 1 : 0});
  }
  for (const auto& [kind, count] : CountedResources(snapshot)) {
    const auto& [authority, cache_state, type_url] = kind;
    gauges.push_back({.instrument = &kResources,
                      .labels = {{"grpc.target", snapshot.key},
                                 {"grpc.xds.authority", std::string(authority)},
                                 {"grpc.xds.cache_state", std::string(cache_state)},
                                 {"grpc.xds.resource_type",
                                  std::string(absl::StripPrefix(type_url, kTypeUrlPrefix))}},
                      .value = count});
  }
  return gauges;
}

}  // namespace holdfast
