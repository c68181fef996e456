// Pure rooms promise that their functions may be called from any thread at once: they share
// nothing. Here several threads read the same bytes; the thread sanitizer and equal results are the
// proof.
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bootstrap/bootstrap.h"
#include "gtest/gtest.h"
#include "resources/decode/registry.h"
#include "tests/support/text_resource.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;

// One call from each of several threads at a time, often.
template <class Work>
void FromManyThreads(const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&work] {
      for (int round = 0; round < kRounds; ++round) work();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct Example {
  const char* type;
  const char* text;
};

// One of each type, with a regex, an Any and metadata inside: what might share something hidden.
constexpr Example kExamples[] = {
    {"envoy.config.listener.v3.Listener", R"pb(
       name: "front"
       api_listener {
         api_listener {
           [type.googleapis.com/
            envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] {
             rds {
               route_config_name: "routes"
               config_source { ads {} }
             }
             http_filters {
               name: "router"
               typed_config {
                 [type.googleapis.com/envoy.extensions.filters.http.router.v3.Router] {}
               }
             }
           }
         }
       })pb"},
    {"envoy.config.route.v3.RouteConfiguration", R"pb(
       name: "routes"
       virtual_hosts {
         domains: "*"
         routes {
           match { safe_regex { regex: "/pay/.*" } }
           route { cluster: "pay" }
         }
       })pb"},
    {"envoy.config.cluster.v3.Cluster", R"pb(
       name: "pay"
       type: EDS
       eds_cluster_config { eds_config { ads {} } }
       metadata {
         filter_metadata {
           key: "team"
           value {
             fields {
               key: "name"
               value { string_value: "payments" }
             }
           }
         }
       })pb"},
    {"envoy.config.endpoint.v3.ClusterLoadAssignment", R"pb(
       cluster_name: "pay"
       endpoints {
         locality { region: "eu" }
         load_balancing_weight { value: 1 }
         lb_endpoints {
           endpoint { address { socket_address { address: "10.0.0.1" port_value: 80 } } }
         }
       })pb"},
};

TEST(PureRooms, DecodeTheSameFromEveryThread) {
  for (const Example& example : kExamples) {
    const AnyResourceType* type = FindResourceType(example.type);
    ASSERT_NE(type, nullptr) << example.type;
    const std::string bytes = FromText(example.type, example.text);
    const DecodedResource expected = type->Decode(bytes, DecodeContext());
    ASSERT_TRUE(expected.errors.ok()) << expected.errors.Text();
    FromManyThreads([&] {
      const DecodedResource decoded = type->Decode(bytes, DecodeContext());
      ASSERT_TRUE(decoded.errors.ok());
      EXPECT_TRUE(decoded.value->Equals(*expected.value));
    });
  }
}

TEST(PureRooms, RefuseTheSameFromEveryThread) {
  const std::string garbage = "\x0a\xff not a cluster";
  const std::string expected = ClusterType().Decode(garbage, DecodeContext()).errors.Text();
  ASSERT_NE(expected, "");
  FromManyThreads(
      [&] { EXPECT_EQ(ClusterType().Decode(garbage, DecodeContext()).errors.Text(), expected); });
}

TEST(PureRooms, ScanTheSameFromEveryThread) {
  const Example& cluster = kExamples[2];
  const std::string body = FromText(cluster.type, cluster.text);
  const std::string url = absl::StrCat(kTypeUrlPrefix, cluster.type);
  DiscoveryResponse response;
  response.version_info = "1";
  response.type_url = url;
  response.resources.resize(1);
  response.resources[0].name = "pay";
  response.resources[0].type_url = url;
  response.resources[0].body = body;
  response.resources[0].has_body = true;
  FromManyThreads([&] {
    const std::string bytes = EncodeResponse(response);
    const auto scanned = ScanResponse(bytes, [](absl::string_view) { return 1u; });
    ASSERT_TRUE(scanned.ok());
    EXPECT_EQ(*scanned, response);
  });
}

TEST(PureRooms, ReadTheSameBootstrapFromEveryThread) {
  constexpr absl::string_view kJson = R"({
    "xds_servers": [{"server_uri": "cp:18000", "channel_creds": [{"type": "insecure"}]}],
    "node": {"id": "web-1", "metadata": {"team": "payments"}}
  })";
  const absl::StatusOr<ParsedBootstrap> expected = ParseBootstrap(kJson);
  ASSERT_TRUE(expected.ok()) << expected.status();
  FromManyThreads([&] {
    const absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(kJson);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->bootstrap, expected->bootstrap);
  });
}

}  // namespace
}  // namespace holdfast
