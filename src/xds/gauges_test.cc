#include "xds/gauges.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xds/cache_state.h"

namespace holdfast {

// For failing tests.
void PrintTo(const GaugeValue& gauge, std::ostream* out) {
  *out << gauge.instrument->name;
  for (const auto& [name, value] : gauge.labels) *out << " " << name << "=" << value;
  *out << " " << gauge.value;
}

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kListenerUrl[] = "type.googleapis.com/envoy.config.listener.v3.Listener";
constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

ResourceSnapshot Resource(const char* type_url, CacheState state, bool is_cached,
                          const char* authority = "#old") {
  ResourceSnapshot resource;
  resource.type_url = type_url;
  resource.authority = authority;
  resource.state = state;
  resource.cache_state = std::string(CacheStateLabel(state, is_cached));
  if (is_cached) resource.bytes = std::make_shared<const std::string>("contents");
  return resource;
}

auto Gauge(const Instrument& instrument, Labels labels, int64_t value) {
  return AllOf(Field(&GaugeValue::instrument, &instrument), Field(&GaugeValue::labels, labels),
               Field(&GaugeValue::value, value));
}

auto Resources(const char* authority, const char* cache_state, const char* type, int64_t value) {
  return Gauge(kResources,
               {{"grpc.target", "xds:///web"},
                {"grpc.xds.authority", authority},
                {"grpc.xds.cache_state", cache_state},
                {"grpc.xds.resource_type", type}},
               value);
}

TEST(Gauges, SayWhichServersAreConnected) {  // R10.01
  ClientSnapshot snapshot;
  snapshot.key = "xds:///web";
  snapshot.servers = {{.uri = "cp-2:18000", .is_connected = false},
                      {.uri = "cp-1:18000", .is_connected = true}};
  EXPECT_THAT(
      GaugesOf(snapshot),
      ElementsAre(
          Gauge(kConnected, {{"grpc.target", "xds:///web"}, {"grpc.xds.server", "cp-1:18000"}}, 1),
          Gauge(kConnected, {{"grpc.target", "xds:///web"}, {"grpc.xds.server", "cp-2:18000"}},
                0)));
}

TEST(Gauges, AServerConfiguredTwiceIsConnectedIfBothAre) {
  ClientSnapshot snapshot;
  snapshot.servers = {{.uri = "cp", .is_connected = true}, {.uri = "cp", .is_connected = false}};
  const Labels labels = {{"grpc.target", ""}, {"grpc.xds.server", "cp"}};
  EXPECT_THAT(GaugesOf(snapshot), ElementsAre(Gauge(kConnected, labels, 0)));
  snapshot.servers[1].is_connected = true;
  EXPECT_THAT(GaugesOf(snapshot), ElementsAre(Gauge(kConnected, labels, 1)));
}

TEST(Gauges, CountResourcesOfAllNineCacheStates) {  // R10.02, R10.03, R10.05
  ClientSnapshot snapshot;
  snapshot.key = "xds:///web";
  for (CacheState state : kAllCacheStates) {
    const bool may_be_cached = state != CacheState::kRequested && state != CacheState::kTimeout;
    const bool may_be_absent = state != CacheState::kAcked;
    if (may_be_cached) snapshot.resources.push_back(Resource(kClusterUrl, state, true));
    if (may_be_absent) snapshot.resources.push_back(Resource(kClusterUrl, state, false));
  }
  const auto one = [](const char* cache_state) {
    return Resources("#old", cache_state, "envoy.config.cluster.v3.Cluster", 1);
  };
  EXPECT_THAT(GaugesOf(snapshot),
              UnorderedElementsAre(one("requested"), one("does_not_exist"), one("acked"),
                                   one("nacked"), one("nacked_but_cached"), one("timeout"),
                                   one("does_not_exist_but_cached"), one("received_error"),
                                   one("received_error_but_cached")));
}

TEST(Gauges, SumToTheNumberOfWatchedNames) {  // R10.01, R10.04
  ClientSnapshot snapshot;
  snapshot.key = "xds:///web";
  snapshot.resources = {
      Resource(kListenerUrl, CacheState::kAcked, true),
      Resource(kClusterUrl, CacheState::kAcked, true),
      Resource(kClusterUrl, CacheState::kAcked, true),
      Resource(kClusterUrl, CacheState::kNacked, true),
      Resource(kClusterUrl, CacheState::kAcked, true, "prod.example"),
      Resource(kClusterUrl, CacheState::kRequested, false, ""),
  };
  const char* const cluster = "envoy.config.cluster.v3.Cluster";
  const std::vector<GaugeValue> gauges = GaugesOf(snapshot);
  EXPECT_THAT(
      gauges,
      ElementsAre(Resources("", "requested", cluster, 1), Resources("#old", "acked", cluster, 2),
                  Resources("#old", "acked", "envoy.config.listener.v3.Listener", 1),
                  Resources("#old", "nacked_but_cached", cluster, 1),
                  Resources("prod.example", "acked", cluster, 1)));
  int64_t sum = 0;
  for (const GaugeValue& gauge : gauges) sum += gauge.value;
  EXPECT_EQ(sum, static_cast<int64_t>(snapshot.resources.size()));
}

TEST(Gauges, AClientThatDoesNothingHasNone) { EXPECT_THAT(GaugesOf(ClientSnapshot()), IsEmpty()); }

}  // namespace
}  // namespace holdfast
