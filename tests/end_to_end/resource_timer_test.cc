// Servers that say nothing about a resource.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

// Short where the test waits for it; long enough elsewhere that nothing else fires it.
XdsClientOptions Timeouts(std::chrono::milliseconds plain, std::chrono::milliseconds transient) {
  XdsClientOptions options = QuickOptions();
  options.resource_timeout = plain;
  options.transient_resource_timeout = transient;
  return options;
}
constexpr std::chrono::milliseconds kShort{50};
constexpr std::chrono::hours kNever{1};

TEST(EndToEndTimer, DefaultsAreThoseOfTheSpecification) {  // R4.01 R4.30
  const XdsClientOptions options;
  EXPECT_EQ(options.resource_timeout, std::chrono::seconds(15));
  EXPECT_EQ(options.transient_resource_timeout, std::chrono::seconds(30));
  EXPECT_EQ(options.first_backoff, std::chrono::seconds(1));
  EXPECT_EQ(options.longest_backoff, std::chrono::seconds(120));
}

TEST(EndToEndTimer, SilenceMeansThatItDoesNotExist) {  // R3-T08a R4.02
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()), Timeouts(kShort, kNever));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(heard.cause(), Cause::kTimeout);
  EXPECT_THAT(heard.text(), HasSubstr("cluster \"pay\""));
  EXPECT_THAT(heard.text(), HasSubstr("50ms"));
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "does_not_exist");
  // It may come at any time later (R1.40).
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "acked");
}

TEST(EndToEndTimer, SilenceMeansASlowServerWhereTheBootstrapSaysSo) {  // R3-T08b R4.21
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address(), {"resource_timer_is_transient_error"}),
                         Timeouts(kNever, kShort));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(heard.cause(), Cause::kTimeout);
  EXPECT_EQ(SnapshotOf(*client, "pay").state, CacheState::kTimeout);
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "timeout");
}

TEST(EndToEndTimer, WithTheGuardOffTheTransientTimerIsNotRead) {  // R3-T08b R3.33
  const ScopedEnvironment guard("GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING", "false");
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address(), {"resource_timer_is_transient_error"}),
                         Timeouts(kShort, kNever));
  Watching alice = WatchCluster(*client, "pay");
  EXPECT_EQ(alice.Next().code(), absl::StatusCode::kNotFound);
}

TEST(EndToEndTimer, NoTimerRunsWhileThereIsNoConnection) {  // R4.03
  ScriptedAdsServer server;
  server.Kill();
  auto client =
      ClientOf(BootstrapFor(server.address()), Timeouts(std::chrono::milliseconds(300), kNever));
  Watching alice = WatchCluster(*client, "pay");
  EXPECT_EQ(alice.Next().cause(), Cause::kConnectivity);
  // Many attempts later nobody has concluded that it does not exist; a server that then answers in
  // time is in time.
  absl::SleepFor(absl::Milliseconds(400));
  server.Restart();
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  Heard last = alice.Next();
  while (last.kind == Heard::kError) {
    EXPECT_EQ(last.cause(), Cause::kConnectivity);
    last = alice.Next();
  }
  EXPECT_EQ(last.kind, Heard::kValue);
}

TEST(EndToEndTimer, AServerThatStopsReadingIsSilentToo) {  // R4.10
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()), Timeouts(kShort, kNever));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->StopReading();
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(heard.cause(), Cause::kTimeout);
}

}  // namespace
}  // namespace holdfast
