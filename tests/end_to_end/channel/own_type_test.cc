// A watcher with a type object of its own, on the client of a channel, which watches the same types
// through Holdfast's.
#include <gmock/gmock.h>

#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

struct OwnCluster {
  std::string bytes;
  friend bool operator==(const OwnCluster& a, const OwnCluster& b) { return a.bytes == b.bytes; }
};

class OwnClusterType final : public ResourceType<OwnCluster> {
  std::string type_name() const override { return "envoy.config.cluster.v3.Cluster"; }
  std::string noun() const override { return "cluster"; }
  bool is_full_state() const override { return true; }
  absl::StatusOr<OwnCluster> Decode(absl::string_view bytes) const override {
    return OwnCluster{std::string(bytes)};
  }
};

const OwnClusterType& TheOwnClusterType() {
  static const auto& type = *new OwnClusterType;
  return type;
}

constexpr char kRefused[] =
    "type envoy.config.cluster.v3.Cluster: this client already watches it through another type "
    "object; use that object, or an XdsClient of its own (node \"web-1\")";

TEST(OwnTypeOnTheClientOfAChannel, IsRefusedAndTheChannelGoesOn) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address());
  EXPECT_TRUE(channel.Call().status.ok());
  for (int i = 0; i < 2; ++i) {
    const auto alice = std::make_shared<RecordingWatcher<OwnCluster>>();
    const auto bob = std::make_shared<EnvoyWatcher>();
    const Watch own = channel.client().StartWatch(TheOwnClusterType(), "pay", alice);
    const Watch envoys = channel.client().StartWatch(EnvoyClusterType(), "pay", bob);
    for (const Heard& heard : {alice->Next(), bob->Next()}) {
      EXPECT_EQ(heard.kind, Heard::kError);
      EXPECT_EQ(heard.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(heard.text(), absl::StrCat("cluster \"pay\": ", kRefused));
    }
    EXPECT_TRUE(channel.Call().status.ok());
  }
  // The channel still hears of its cluster.
  Backend other;
  xds.Put("eds", "pay", EndpointsBytes("pay", {other.address()}));
  EXPECT_TRUE(Eventually([&] { return channel.Call().peer == other.peer(); }));
}

// Whoever was first has it.
TEST(OwnTypeOnTheClientOfAChannel, IsWhatTheCallsOfTheChannelFailWithIfItWasThereFirst) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  ChannelUnderTest channel(xds.address());
  const auto alice = std::make_shared<RecordingWatcher<OwnCluster>>();
  const Watch own = channel.client().StartWatch(TheOwnClusterType(), "pay", alice);
  EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
  const CallResult result = channel.Call();
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(),
              testing::HasSubstr("type envoy.config.cluster.v3.Cluster: this client already "
                                 "watches it through another type object"));
}

}  // namespace
}  // namespace holdfast
