// What full_listeners.py's listeners are to us.
#include <gmock/gmock.h>

#include <string>

#include "absl/time/time.h"
#include "tests/interop/foreign_cases.h"
#include "tests/interop/full_filters.h"

namespace holdfast {
namespace {

const HttpFilter kRouter = {.name = "router", .config = RouterFilter{}};

std::string InManager(const std::string& path) { return "api_listener.api_listener" + path; }

// The filters of unknown type are optional, so they are not here. Of the config source, the timeout
// and the authorities mean nothing to a client that has one source anyway; idle_timeout is for
// connections of a proxy.
Expectation<Listener> RdsAds() {
  return Accepted(
      Listener{
          .name = "listener-rds-ads",
          .routes = Listener::RdsName{"route-by-ads"},
          .http_filters = {{.name = "fault-by-value", .config = FaultByValue()},
                           {.name = "fault-by-grpc-status", .config = FaultByGrpcStatus()},
                           {.name = "fault-by-header", .config = FaultByHeader()},
                           {.name = "session", .config = StatefulSession("sid", 86, "/shop")},
                           kRouter},
          .max_stream_duration = absl::Milliseconds(72'250),
      },
      {InManager(".http_filters[0]"), InManager(".http_filters[1]"), InManager(".http_filters[2]"),
       InManager(".http_filters[3]")});
}

Expectation<Listener> RdsSelf() {
  return Accepted(Listener{.name = "listener-rds-self",
                           .routes = Listener::RdsName{"route-by-self"},
                           .http_filters = {kRouter}});
}

// The address beside the API listener does not make it a server's.
Expectation<Listener> InlineRoutes() {
  const Route route = {.name = "all",
                       .match = {.kind = RouteMatch::PathKind::kPrefix, .path = ""},
                       .action = ForwardAction{.clusters = "cluster-inline"}};
  const VirtualHost host = {.name = "route-inline-host", .domains = {"*"}, .routes = {route}};
  return Accepted(Listener{.name = "listener-inline",
                           .routes = RouteConfig{.name = "route-inline", .virtual_hosts = {host}},
                           .http_filters = {kRouter}});
}

Expectation<Listener> RdsFrom(const std::string& source) {
  return Rejected<Listener>(InManager(".rds.config_source"),
                            "must be ads or self (got " + source + ")");
}

// Whatever its address is: listeners of gRPC servers are for a later version.
Expectation<Listener> AddressOnly() {
  return Rejected<Listener>(
      "", "this build does not support listeners of gRPC servers (without api_listener) yet");
}

Expectations<Listener> Cases() {
  return {
      {"rds_ads", RdsAds()},
      {"rds_self", RdsSelf()},
      {"inline_routes", InlineRoutes()},
      {"invalid_scoped_routes",
       Rejected<Listener>(InManager(""), "must have rds or route_config (got scoped_routes)")},
      {"invalid_xff_num_trusted_hops",
       Rejected<Listener>(InManager(".xff_num_trusted_hops"), "must be 0 (got 2)")},
      {"invalid_original_ip_detection",
       Rejected<Listener>(InManager(".original_ip_detection_extensions"), "must be empty (got 1)")},
      {"invalid_config_discovery",
       Rejected<Listener>(InManager(".http_filters[0].config_discovery"),
                          "is not supported; give the filter's configuration in typed_config")},
      {"invalid_rds_path", RdsFrom("path")},
      {"invalid_rds_path_config_source", RdsFrom("path_config_source")},
      {"invalid_rds_api_config_source", RdsFrom("api_config_source")},
      {"invalid_udp_address", AddressOnly()},
      {"invalid_pipe_address", AddressOnly()},
      {"invalid_internal_address", AddressOnly()},
  };
}

TEST(FullListeners, DecodeToWhatTheirBuildersMeant) {
  ExpectAllDecoded("listener", DecodeListener, DecodeContext(), Cases());
}

}  // namespace
}  // namespace holdfast
