// The metrics of a channel tell the story of an outage: who is connected, what arrived, and what is
// wrong with what calls still use.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/endurance/caller_process.h"

namespace holdfast {
namespace {

constexpr char kListener[] = "envoy.config.listener.v3.Listener";
constexpr char kRoutes[] = "envoy.config.route.v3.RouteConfiguration";
constexpr char kCluster[] = "envoy.config.cluster.v3.Cluster";
constexpr char kEndpoints[] = "envoy.config.endpoint.v3.ClusterLoadAssignment";

class ChannelMetrics : public ::testing::Test {
 protected:
  using Samples = std::map<std::string, std::string>;

  ChannelMetrics() {
    PutPay(xds_, {backend_.address()});
    EXPECT_EQ(caller_.CallOnce(), backend_.peer());
    expected_[OfServer("connected")] = "1";
    for (const char* const type : {kListener, kRoutes, kCluster, kEndpoints}) {
      expected_[Resources(type, "acked")] = "1";
      expected_[Updates("valid", type)] = "1";
    }
  }

  // Names as docs/reference/metrics.md says, with every label.
  std::string OfServer(const std::string& name) const {
    return absl::StrCat("grpc_xds_client_", name, "{grpc_target=\"xds:///pay\",grpc_xds_server=\"",
                        xds_.address(), "\"}");
  }
  std::string Updates(const std::string& kind, const std::string& type) const {
    return absl::StrCat("grpc_xds_client_resource_updates_", kind,
                        "_total{grpc_target=\"xds:///pay\",grpc_xds_resource_type=\"", type,
                        "\",grpc_xds_server=\"", xds_.address(), "\"}");
  }
  static std::string Resources(const std::string& type, const std::string& state) {
    return absl::StrCat("grpc_xds_client_resources{grpc_target=\"xds:///pay\",",
                        "grpc_xds_authority=\"#old\",grpc_xds_cache_state=\"", state,
                        "\",grpc_xds_resource_type=\"", type, "\"}");
  }

  void Moves(const std::string& type, const std::string& from, const std::string& to) {
    EXPECT_EQ(expected_.erase(Resources(type, from)), 1U);
    expected_[Resources(type, to)] = "1";
  }

  // These, and no others; and calls go on.
  void ExpectAll(absl::string_view when) {
    Samples seen;
    Eventually([&] {
      seen = caller_.Metrics();
      return seen == expected_;
    });
    EXPECT_EQ(seen, expected_) << when;
    EXPECT_EQ(caller_.CallOnce(), backend_.peer()) << when;
  }

  Backend backend_;
  ObligingXdsServer xds_;
  CallerProcess caller_{"holdfast", xds_.address(), /*threads=*/0};
  Samples expected_;
};

TEST_F(ChannelMetrics, TellTheStoryOfAnOutage) {  // R10.02 R10.03
  ExpectAll("all is well");

  xds_.Put("cds", "pay", BadClusterBytes("pay"));
  Moves(kCluster, "acked", "nacked_but_cached");
  expected_[Updates("invalid", kCluster)] = "1";
  ExpectAll("a cluster was rejected");

  xds_.PutError("eds", "pay", 7, "ask #payments");
  Moves(kEndpoints, "acked", "received_error_but_cached");
  expected_[Updates("invalid", kEndpoints)] = "1";
  ExpectAll("an error came in place of the endpoints");

  xds_.Remove("lds", "pay");
  Moves(kListener, "acked", "does_not_exist_but_cached");
  ExpectAll("the listener was deleted");

  xds_.Kill();
  expected_[OfServer("connected")] = "0";
  expected_[OfServer("server_failure_total")] = "1";
  ExpectAll("the control plane died");

  PutPay(xds_, {backend_.address()});
  xds_.Restart();
  expected_[OfServer("connected")] = "1";
  Moves(kListener, "does_not_exist_but_cached", "acked");
  Moves(kCluster, "nacked_but_cached", "acked");
  Moves(kEndpoints, "received_error_but_cached", "acked");
  // The new stream sends everything, changed or not.
  for (const char* const type : {kListener, kRoutes, kCluster, kEndpoints}) {
    expected_[Updates("valid", type)] = "2";
  }
  ExpectAll("all is well again");
  EXPECT_EQ(caller_.Finish(), "exit 0");
}

// Of what was never there no version is kept.
TEST_F(ChannelMetrics, TellWhatCannotBeHad) {
  xds_.Put("rds", "pay-routes",
           RoutesBytes("pay-routes", "pay",
                       "routes { match { prefix: \"/nobody/\" } route { cluster: \"none\" } }"));
  xds_.PutError("cds", "none", 5, "never heard");
  expected_[Resources(kCluster, "received_error")] = "1";
  expected_[Updates("valid", kRoutes)] = "2";
  expected_[Updates("invalid", kCluster)] = "1";
  Samples seen;
  // How often the cluster that is there was sent again depends on who asked when.
  EXPECT_TRUE(Eventually([&] {
    seen = caller_.Metrics();
    expected_[Updates("valid", kCluster)] = seen[Updates("valid", kCluster)];
    return seen == expected_;
  })) << ::testing::PrintToString(seen);
}

}  // namespace
}  // namespace holdfast
