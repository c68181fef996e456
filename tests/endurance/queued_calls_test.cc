// A call that waits for ready outlives the outage it was made in.
#include <functional>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tests/endurance/queued_call.h"

namespace holdfast {
namespace {

// Which of the endpoints is last, nobody promised.
constexpr absl::string_view kRefused =
    R"(cluster "pay": no endpoint can be reached; last error: ipv4:127.0.0.1:)";

// Calls go to "pay", unless routes lead them to "other".
struct World {
  Backend pay;
  Backend spare;
  Backend other;
  ObligingXdsServer xds;
  std::unique_ptr<ChannelUnderTest> channel;

  void PutAll() {
    xds.Put("cds", "other", ClusterBytes("other"));
    xds.Put("eds", "other", EndpointsBytes("other", {other.address()}));
    PutPay(xds, {pay.address(), spare.address()});
  }
  // Calls fail, with these words: the beginning of the text. $XDS is the address of the server.
  void AwaitOutage(absl::string_view text) {
    const std::string words = absl::StrReplaceAll(text, {{"$XDS", xds.address()}});
    CallResult result;
    EXPECT_TRUE(Eventually([&] {
      result = channel->Call();
      return absl::StartsWith(result.status.error_message(), words);
    })) << "wanted: "
        << words << "\ngot: " << Words(result.status);
    EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  void KillPay() {
    pay.Kill();
    spare.Kill();
  }
};

struct Outage {
  std::string name;
  bool is_ok_before;                  // a call is OK before the outage begins
  std::function<void(World&)> begin;  // of a world in which all is well
  absl::string_view words;            // of a call that does not wait
  std::function<void(World&)> end;
  // How long a resource may take to come before it is taken not to exist.
  std::chrono::milliseconds resource_timeout = XdsClientOptions().resource_timeout;

  friend void PrintTo(const Outage& row, std::ostream* out) { *out << row.name; }
};

class Queued : public ::testing::TestWithParam<Outage> {};

// R15.07
TEST_P(Queued, CallsGoWhenTheOutageEnds) {
  const Outage& outage = GetParam();
  World world;
  world.spare.Kill();
  world.PutAll();
  if (!outage.is_ok_before) outage.begin(world);
  XdsClientOptions options = QuickOptions();
  options.resource_timeout = outage.resource_timeout;
  world.channel = std::make_unique<ChannelUnderTest>(
      world.xds.address(), std::vector<std::string>(), std::move(options));
  if (outage.is_ok_before) {
    ASSERT_EQ(Words(world.channel->CallUntilOk().status), "OK");
    outage.begin(world);
  }
  world.AwaitOutage(outage.words);

  QueuedAsyncCall async(*world.channel);
  QueuedCallbackCall callback(*world.channel);
  QueuedSyncCall sync(*world.channel);
  // The outage goes on.
  world.AwaitOutage(outage.words);
  EXPECT_FALSE(async.IsOver());
  EXPECT_FALSE(callback.IsOver());
  EXPECT_FALSE(sync.IsOver());

  outage.end(world);
  ExpectReached(async.Await(), world.pay.peer(), "async");
  ExpectReached(callback.Await(), world.pay.peer(), "callback");
  ExpectReached(sync.Await(), world.pay.peer(), "sync");
}

constexpr std::chrono::milliseconds kSoon(200);

std::vector<Outage> Outages() {
  return {
      {"NothingKnownYet", false, [](World& world) { world.xds.Kill(); },
       R"(target "xds:///pay": listener "pay": xds server "$XDS": cannot be reached: )",
       [](World& world) { world.xds.Restart(); }},
      {"ListenerMissing", false, [](World& world) { world.xds.Remove("lds", "pay"); },
       R"(target "xds:///pay": listener "pay": xds server "$XDS" did not send it within 200ms, so it )"
       R"(is taken not to exist; calls fail until it can be had (node "web-1"))",
       [](World& world) { world.xds.Put("lds", "pay", ListenerBytes("pay", "pay-routes")); },
       kSoon},
      {"RoutesInvalid", false,
       [](World& world) {
         world.xds.Put("rds", "pay-routes",
                       FromText("envoy.config.route.v3.RouteConfiguration",
                                "name: \"pay-routes\" virtual_hosts { name: \"vh\" }"));
       },
       R"(target "xds:///pay": route configuration "pay-routes": version 3 was rejected: )"
       R"(virtual_hosts[0].domains: must not be empty; "*" stands for every domain; calls fail )"
       R"(until it can be had (node "web-1"))",
       [](World& world) { world.xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "pay")); }},
      {"NoRouteMatches", true,
       [](World& world) {
         world.xds.Put(
             "rds", "pay-routes",
             FromText("envoy.config.route.v3.RouteConfiguration",
                      "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"*\" "
                      "routes { match { path: \"/else\" } route { cluster: \"pay\" } } }"));
       },
       R"(target "xds:///pay": no route for "/grpc.health.v1.Health/Check": virtual host "vh": it has )"
       "no route for gRPC calls (xDS node ID: web-1)",
       [](World& world) { world.xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "pay")); }},
      {"ClusterMissing", false, [](World& world) { world.xds.Remove("cds", "pay"); },
       R"(cluster "pay": xds server "$XDS" did not send it within 200ms, so it is taken not to )"
       R"(exist; calls to it fail until it can be had (node "web-1"))",
       [](World& world) { world.xds.Put("cds", "pay", ClusterBytes("pay")); }, kSoon},
      {"ClusterInvalid", false,
       [](World& world) { world.xds.Put("cds", "pay", BadClusterBytes("pay")); },
       R"(cluster "pay": version 4 was rejected: eds_cluster_config: must be set for an EDS cluster; )"
       R"(calls to it fail until it can be had (node "web-1"))",
       [](World& world) { world.xds.Put("cds", "pay", ClusterBytes("pay")); }},
      {"ClusterWithoutEndpoints", true,
       [](World& world) { world.xds.Put("eds", "pay", EndpointsBytes("pay")); },
       R"(cluster "pay": it has no endpoints (endpoints "pay": has no locality that can be used; )"
       "xDS node ID: web-1)",
       [](World& world) {
         world.xds.Put("eds", "pay", EndpointsBytes("pay", {world.pay.address()}));
       }},
      {"EndpointsDead", true, [](World& world) { world.KillPay(); }, kRefused,
       [](World& world) { world.pay.Restart(); }},
      {"ServerKilledAndEndpointsDead", true,
       [](World& world) {
         world.xds.Kill();
         world.KillPay();
       },
       kRefused,
       [](World& world) {
         world.xds.Restart();
         world.pay.Restart();
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Outages, Queued, ::testing::ValuesIn(Outages()),
                         [](const auto& row) { return row.param.name; });

// A world whose "pay" is dead, with calls queued for it.
class QueuedForACluster : public ::testing::Test {
 protected:
  QueuedForACluster() {
    world_.PutAll();
    world_.channel = std::make_unique<ChannelUnderTest>(world_.xds.address());
    EXPECT_EQ(Words(world_.channel->CallUntilOk().status), "OK");
    world_.KillPay();
    world_.AwaitOutage(kRefused);
    async_ = std::make_unique<QueuedAsyncCall>(*world_.channel);
    callback_ = std::make_unique<QueuedCallbackCall>(*world_.channel);
    world_.AwaitOutage(kRefused);
  }

  void LeadCallsToOther() {
    world_.xds.Put("rds", "pay-routes", RoutesBytes("pay-routes", "other"));
    EXPECT_TRUE(Eventually([&] { return world_.channel->Call().peer == world_.other.peer(); }));
  }

  void ExpectBothReachPayWhenItIsBack() {
    EXPECT_FALSE(async_->IsOver());
    EXPECT_FALSE(callback_->IsOver());
    world_.pay.Restart();
    ExpectReached(async_->Await(), world_.pay.peer(), "async");
    ExpectReached(callback_->Await(), world_.pay.peer(), "callback");
  }

  World world_;
  std::unique_ptr<QueuedAsyncCall> async_;
  std::unique_ptr<QueuedCallbackCall> callback_;
};

// R13.03
TEST_F(QueuedForACluster, StaysWithItThoughRoutesLeadElsewhere) {
  LeadCallsToOther();
  ExpectBothReachPayWhenItIsBack();
}

// R13.04
TEST_F(QueuedForACluster, StaysWithItThoughItWasRemoved) {
  LeadCallsToOther();
  world_.xds.Remove("cds", "pay");
  world_.xds.WaitForAck("cds");
  EXPECT_EQ(world_.channel->Call().peer, world_.other.peer());
  ExpectBothReachPayWhenItIsBack();
}

}  // namespace
}  // namespace holdfast
