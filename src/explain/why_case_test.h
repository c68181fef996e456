// Clients as CSDS tells of them, for tests of what `why` makes of it: texts in, lines out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "explain/chain.h"
#include "explain/csds_answer.h"
#include "explain/verdict.h"
#include "explain/why_text.h"
#include "tests/support/text_resource.h"
#include "xds/type_names.h"

namespace holdfast {

inline const absl::Time kNow = absl::FromUnixSeconds(1'700'000'300);

// google.protobuf.Timestamp, so many seconds before kNow.
inline std::string Ago(int seconds) {
  return absl::StrCat("{ seconds: ", 1'700'000'300 - seconds, " }");
}

// A GenericXdsConfig with contents, in this state.
inline std::string EntryText(absl::string_view type, absl::string_view name,
                             absl::string_view contents, absl::string_view more) {
  return absl::StrCat(
      "generic_xds_configs { type_url: \"type.googleapis.com/", type, "\" name: \"", name, "\" ",
      contents.empty()
          ? ""
          : absl::StrCat("version_info: \"41\" last_updated ", Ago(120),
                         " xds_config { [type.googleapis.com/", type, "] { ", contents, " } } "),
      more, " } ");
}

inline std::string ListenerEntry(absl::string_view name = "web",
                                 absl::string_view more = "client_status: ACKED") {
  return EntryText(kListenerTypeName, name,
                   absl::StrCat("name: \"", name,
                                R"(" api_listener { api_listener { [type.googleapis.com/
                     envoy.extensions.filters.network.http_connection_manager.v3.
                     HttpConnectionManager] {
                       rds { route_config_name: "web" config_source { ads {} } } } } })"),
                   more);
}
// Virtual hosts of their own, or the one for everybody.
inline std::string RouteEntry(absl::string_view hosts = R"(virtual_hosts { domains: "*" routes {
                                match { prefix: "" } route { cluster: "pay" } } })") {
  return EntryText(kRouteConfigTypeName, "web", absl::StrCat("name: \"web\" ", hosts),
                   "client_status: ACKED");
}
inline constexpr char kClusterContents[] =
    R"(name: "pay" type: EDS eds_cluster_config { eds_config { ads {} } })";
inline std::string ClusterEntry(absl::string_view more = "client_status: ACKED") {
  return EntryText(kClusterTypeName, "pay", kClusterContents, more);
}
inline std::string EndpointsEntry(absl::string_view endpoints) {
  return EntryText(kEndpointsTypeName, "pay", absl::StrCat("cluster_name: \"pay\" ", endpoints),
                   "client_status: ACKED");
}
inline constexpr char kOneEndpoint[] =
    R"(endpoints { load_balancing_weight { value: 1 } lb_endpoints { endpoint { address {
         socket_address { address: "127.0.0.1" port_value: 9001 } } } } })";

// What is known after asking one process whose client "web-1" of xds:///web has these entries.
inline Knowledge KnownFrom(absl::string_view entries) {
  const std::string bytes = FromText(
      "envoy.service.status.v3.ClientStatusResponse",
      absl::StrCat("config { node { id: \"web-1\" } client_scope: \"xds:///web\" ", entries, " }"));
  absl::StatusOr<Fleet> fleet = FleetOfCsds(bytes, kNow, KeepBytes::kYes);
  EXPECT_EQ(fleet.status(), absl::OkStatus());
  Knowledge known;
  known.time = kNow;
  known.is_told_by_client = true;
  if (fleet.ok() && !fleet->clients.empty()) {
    known.clients = fleet->clients;
    known.client = fleet->clients.front();
  }
  return known;
}

inline Link ListenerLink(std::string name = "web") {
  return {std::string(kListenerTypeName), std::move(name)};
}

inline Question AboutTarget(const std::string& text = "xds:///web") {
  return {.kind = Question::Kind::kTarget,
          .text = text,
          .authority = text.substr(text.rfind('/') + 1),
          .server_option = "--server 127.0.0.1:18080"};
}

// All lines, with an end of line each.
inline std::string Why(const Question& question, const std::vector<Link>& roots,
                       const Knowledge& known) {
  const Chain chain = Walk(roots, known, question.authority);
  const WhyVerdict verdict = Judge(question, chain, known);
  return absl::StrCat("\n", absl::StrJoin(WhyLines(chain, verdict, known, {}), "\n"), "\n");
}

inline std::string Why(const Knowledge& known) {
  return Why(AboutTarget(), {ListenerLink()}, known);
}

// A control plane with the usual chain, all of it good for two clients.
class ControlPlane {
 public:
  ControlPlane() {
    known_.time = kNow;
    known_.has_control_plane = true;
    Serve(kListenerTypeName, "web", {.refers_to = {{std::string(kRouteConfigTypeName), "web"}}});
    Serve(kRouteConfigTypeName, "web", {.refers_to = {{std::string(kClusterTypeName), "pay"}}});
    Serve(kClusterTypeName, "pay", {.refers_to = {{std::string(kEndpointsTypeName), "pay"}}});
    Serve(kEndpointsTypeName, "pay", {.addresses = {"127.0.0.1:9001"}});
    known_.dialled["127.0.0.1:9001"] = {};
  }

  PlaneResource& Serve(absl::string_view type, std::string name, Links links) {
    const Link link = {std::string(type), name};
    known_.names[link.type].insert(name);
    PlaneResource served;
    served.resource = link;
    served.version = "a1";
    served.links = std::move(links);
    served.clients.type = link.type;
    served.clients.good = 2;
    return known_.served[link].emplace(std::move(served));
  }
  void Remove(absl::string_view type, std::string name) {
    known_.names[std::string(type)].erase(name);
    known_.served[{std::string(type), std::move(name)}] = std::nullopt;
  }
  void Say(absl::string_view type, std::string name, std::string code, std::string message,
           PlaneError::Origin origin) {
    known_.errors.errors.push_back({{std::string(type), std::move(name)},
                                    std::move(code),
                                    std::move(message),
                                    origin,
                                    {"web-1", "web-2"}});
  }
  // A client that stands so with a resource.
  void Client(FleetResource resource) {
    FleetClient client;
    client.id = absl::StrCat("web-", known_.clients.size() + 1);
    client.standing = resource.standing;
    client.resources.push_back(std::move(resource));
    known_.clients.push_back(std::move(client));
  }

  PlaneResource& At(absl::string_view type, std::string name) {
    return *known_.served.at({std::string(type), std::move(name)});
  }
  Knowledge& known() { return known_; }
  std::string WhyTarget(std::string name = "web") const {
    return Why(AboutTarget("xds:///" + name), {ListenerLink(name)}, known_);
  }

 private:
  Knowledge known_;
};

}  // namespace holdfast
