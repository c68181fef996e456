#include "bench/channel/world.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "bench/channel/backend.h"
#include "bench/channel/bench_failure.h"
#include "tests/support/obliging_xds_server.h"
#include "tests/support/text_resource.h"

namespace holdfast {
namespace {

std::string ClusterName(int number) { return absl::StrCat("cluster-", number); }

std::string ListenerText() {
  return absl::StrCat(
      "name: \"", kBenchListener, "\" api_listener { api_listener { ",
      "[type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.",
      "HttpConnectionManager] { rds { route_config_name: \"routes\" config_source { ads {} } } ",
      "http_filters { name: \"router\" typed_config { ",
      "[type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {} } } } } }");
}

std::string RouteText(const std::string& prefix, int cluster) {
  return absl::StrCat("routes { match { prefix: \"", prefix, "\" } route { cluster: \"",
                      ClusterName(cluster), "\" } } ");
}

std::string RoutesText(int routes, int clusters) {
  std::string text = "name: \"routes\" virtual_hosts { name: \"vh\" domains: \"*\" ";
  for (int i = 1; i < routes; ++i) {
    absl::StrAppend(&text, RouteText(absl::StrCat("/acme.other.v1.Service", i, "/"), i % clusters));
  }
  return absl::StrCat(text, RouteText("/acme.test.v1.Echo/", 0), "}");
}

std::string ClusterText(int number, bool waits_once) {
  std::string text = absl::StrCat("name: \"", ClusterName(number),
                                  "\" type: EDS eds_cluster_config { eds_config { ads {} } } ");
  if (waits_once) {
    absl::StrAppend(&text, "load_balancing_policy { policies { typed_extension_config { ",
                    "name: \"own\" typed_config { [type.googleapis.com/xds.type.v3.TypedStruct] { ",
                    "type_url: \"type.googleapis.com/", kWaitOncePolicy, "\" } } } } } ");
  }
  return text;
}

std::string EndpointsText(int number, int port) {
  return absl::StrCat("cluster_name: \"", ClusterName(number),
                      "\" endpoints { locality { region: \"here\" } load_balancing_weight { value: "
                      "1 } lb_endpoints { endpoint { address { socket_address { address: "
                      "\"127.0.0.1\" port_value: ",
                      port, " } } } } }");
}

class World {
 public:
  std::string XdsPort() const {
    return std::string(absl::StripPrefix(xds_.address(), "127.0.0.1:"));
  }

  void Serve(int routes, int clusters, bool waits_once) {
    xds_.Hold();
    Put("lds", "envoy.config.listener.v3.Listener", kBenchListener, ListenerText());
    Put("rds", "envoy.config.route.v3.RouteConfiguration", "routes", RoutesText(routes, clusters));
    for (int i = 0; i < clusters; ++i) {
      Put("cds", "envoy.config.cluster.v3.Cluster", ClusterName(i), ClusterText(i, waits_once));
      xds_.Put("eds", ClusterName(i), EndpointsBytes(i, 0));
    }
    xds_.LetGo();
  }

  std::chrono::steady_clock::time_point Move(int to) {
    std::string bytes = EndpointsBytes(0, to);
    const auto now = std::chrono::steady_clock::now();
    xds_.Put("eds", ClusterName(0), std::move(bytes));
    return now;
  }

  Backend& backend(int number) { return backends_.at(static_cast<size_t>(number)); }

 private:
  void Put(absl::string_view kind, absl::string_view type, const std::string& name,
           const std::string& text) {
    xds_.Put(kind, name, FromText(type, text));
  }
  std::string EndpointsBytes(int cluster, int to) {
    return FromText("envoy.config.endpoint.v3.ClusterLoadAssignment",
                    EndpointsText(cluster, backend(to).port()));
  }

  ObligingXdsServer xds_;
  std::array<Backend, 2> backends_;
};

std::string Answer(const std::string& line, World& world) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  std::vector<int> numbers(words.size());
  for (size_t i = 1; i < words.size(); ++i) (void)absl::SimpleAtoi(words[i], &numbers[i]);
  if (words[0] == "ports") {
    return absl::StrCat("ports ", world.XdsPort(), " ", world.backend(0).port(), " ",
                        world.backend(1).port());
  }
  if (words[0] == "serve" && words.size() == 4) {
    world.Serve(numbers[1], numbers[2], words[3] == "wait_once");
    return "ok";
  }
  if (words[0] == "move" && words.size() == 2) {
    const auto when = world.Move(numbers[1]).time_since_epoch();
    return absl::StrCat("move ",
                        std::chrono::duration_cast<std::chrono::nanoseconds>(when).count());
  }
  if (words[0] == "notice" && words.size() == 2) {
    Backend& backend = world.backend(numbers[1]);
    const int before = backend.connections();
    const auto begin = world.Move(numbers[1]);
    const auto end = backend.AwaitConnection(before + 1);
    return absl::StrCat("notice ",
                        std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count());
  }
  FailBench(absl::StrCat("the world does not understand \"", line, "\""));
}

}  // namespace

int RunWorld() {
  World world;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << Answer(line, world) << std::endl;
  return 0;
}

}  // namespace holdfast
