// What a user's watcher may do, and what it may rely on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/synchronization/notification.h"
#include "runtime/control_loop.h"
#include "tests/end_to_end/client_under_test.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Does something with each call, after recording it.
class BusyWatcher final : public EnvoyWatcher {
 public:
  explicit BusyWatcher(std::function<void()> then) : then_(std::move(then)) {}
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const EnvoyResource>> resource) override {
    EnvoyWatcher::OnResourceChanged(std::move(resource));
    then_();
  }
  void OnAmbientError(absl::Status status) override {
    EnvoyWatcher::OnAmbientError(std::move(status));
    then_();
  }

 private:
  const std::function<void()> then_;
};

TEST(EndToEndWatchers, MayCancelInsideACall) {  // R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  absl::Notification cancelled;
  Watch watch;
  auto alice = std::make_shared<BusyWatcher>([&] {
    watch.Cancel();
    watch.Cancel();
    cancelled.Notify();
  });
  Watching bob = WatchCluster(*client, "pay");
  watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  cancelled.WaitForNotification();
  stream->Send(TestResponse(ClusterType(), "2")
                   .Resource(ClusterBytes("pay", "lb_policy: RING_HASH"))
                   .Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(alice->All().size(), 1);
}

TEST(EndToEndWatchers, MayStartAnotherInsideACall) {  // R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  std::promise<Watching> started;
  auto alice =
      std::make_shared<BusyWatcher>([&] { started.set_value(WatchEndpoints(*client, "pay")); });
  const Watch watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  Watching endpoints = started.get_future().get();
  EXPECT_THAT(stream
                  ->NextRequest([](const auto& request) {
                    return request.type_url !=
                           absl::StrCat(kTypeUrlPrefix, ClusterType().type_name());
                  })
                  .resource_names,
              ElementsAre("pay"));
  stream->Send(TestResponse(EndpointsType(), "1").Resource(EndpointsBytes("pay")).Bytes());
  EXPECT_THAT(endpoints.Next(), OfKind(Heard::kValue));
}

TEST(EndToEndWatchers, MayDropTheLastHandleOfTheClientInsideACall) {  // R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  absl::Notification dropped;
  auto alice = std::make_shared<BusyWatcher>([&] {
    client = nullptr;
    dropped.Notify();
  });
  const Watch watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  dropped.WaitForNotification();
  stream->WaitUntilClosed();
  EXPECT_EQ(alice->All().size(), 1);
}

// While a watcher is busy nothing more is read, so a server's pushes wait in its own queue; another
// client of the same process does not notice.
TEST(EndToEndWatchers, ASlowOneDelaysTheReadsOfItsClientAlone) {  // R1.21 R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  absl::Notification is_busy;
  absl::Notification may_go_on;
  auto alice = std::make_shared<BusyWatcher>([&] {
    if (!is_busy.HasBeenNotified()) is_busy.Notify();
    may_go_on.WaitForNotification();
  });
  const Watch watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  is_busy.WaitForNotification();
  EXPECT_EQ(stream->NextRequest().version_info, "1");
  stream->Send(TestResponse(ClusterType(), "2")
                   .Resource(ClusterBytes("pay", "lb_policy: RING_HASH"))
                   .Bytes());

  ScriptedAdsServer other_server;
  auto other_client = ClientOf(BootstrapFor(other_server.address()));
  Watching bob = WatchCluster(*other_client, "pay");
  const auto other_stream = other_server.NextStream();
  for (const absl::string_view version : {"1", "2"}) {
    other_stream->NextRequest();
    other_stream->Send(
        TestResponse(ClusterType(), version)
            .Resource(ClusterBytes("pay", version == "1" ? "" : "lb_policy: RING_HASH"))
            .Bytes());
    EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  }
  // By now the second version would long have been read and answered, as the other client's was.
  EXPECT_EQ(SnapshotOf(*client, "pay").version, "1");
  EXPECT_EQ(stream->Requests().size(), 2);
  may_go_on.Notify();
  EXPECT_EQ(stream->NextRequest().version_info, "2");
  EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
  EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
}

// Cancelled while a response for it is on its way through the loop: the next one is read all the
// same.
TEST(EndToEndWatchers, CancellingJustBeforeAResponseDoesNotStallTheStream) {
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  Watching bob = WatchEndpoints(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->NextRequest();
  // The loop is busy while the response arrives and Alice leaves, in this order.
  absl::Notification may_go_on;
  ControlLoop::Shared().Post([&] { may_go_on.WaitForNotification(); });
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  absl::SleepFor(absl::Milliseconds(50));  // Only makes it likelier that it arrived.
  alice.watch.Cancel();
  may_go_on.Notify();

  stream->Send(TestResponse(EndpointsType(), "1").Resource(EndpointsBytes("pay")).Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_TRUE(alice.watcher->All().empty());
}

TEST(EndToEndWatchers, HearNothingAfterCancelReturned) {  // R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching bob = WatchCluster(*client, "ship");
  const auto stream = server.NextStream();
  for (int i = 1; i <= 50; ++i) {
    auto alice = std::make_shared<BusyWatcher>([] {});
    Watch watch = client->StartWatch(EnvoyClusterType(), "pay", alice);
    stream->NextRequest([](const auto& request) { return request.resource_names.size() == 2; });
    stream->Send(TestResponse(ClusterType(), absl::StrCat(i))
                     .Resource(ClusterBytes("pay"))
                     .Resource(ClusterBytes("ship", i % 2 == 0 ? "" : "lb_policy: RING_HASH"))
                     .Bytes());
    watch.Cancel();
    const size_t heard = alice->All().size();
    EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
    EXPECT_LE(alice->All().size(), heard + 1);  // One that ran may have been running.
  }
}

TEST(EndToEndWatchers, ManyThreadsMayStartAndCancelAtOnce) {  // R3.11
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching bob = WatchCluster(*client, "last");
  const auto stream = server.NextStream();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&client, t] {
      for (int i = 0; i < 200; ++i) {
        Watching watching = WatchCluster(*client, absl::StrCat("c", (i + t) % 10));
        if (i % 3 == 0) client->Snapshot();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream->NextRequest([](const auto& request) {
    return request.resource_names == std::vector<std::string>{"last"};
  });
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("last")).Bytes());
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  EXPECT_TRUE(Eventually([&] { return client->Snapshot().resources.size() == 1; }));
}

// A type of the user's own, through the public headers alone.
struct Quota {
  int requests_per_second;
  friend bool operator==(const Quota& a, const Quota& b) {
    return a.requests_per_second == b.requests_per_second;
  }
};

class QuotaType final : public ResourceType<Quota> {
 public:
  std::string type_name() const override { return "acme.config.v1.Quota"; }
  std::string noun() const override { return "quota"; }
  // Field 1 is the name, field 2 the number as text.
  absl::StatusOr<Quota> Decode(absl::string_view bytes) const override {
    Quota quota = {};
    if (!absl::SimpleAtoi(bytes.substr(bytes.rfind('\x02') + 1), &quota.requests_per_second)) {
      return absl::InvalidArgumentError("limit: must be a number");
    }
    return quota;
  }
};

std::string QuotaBytes(absl::string_view name, absl::string_view limit) {
  return absl::StrCat(Field(1, name), Field(2, absl::StrCat("\x02", limit)));
}

TEST(EndToEndWatchers, MayWatchTypesOfTheirOwn) {
  const QuotaType type;
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  auto alice = std::make_shared<RecordingWatcher<Quota>>();
  const Watch watch = client->StartWatch(type, "team-web", alice);
  const auto stream = server.NextStream();
  const DiscoveryRequest first = stream->NextRequest();
  EXPECT_EQ(first.type_url, "type.googleapis.com/acme.config.v1.Quota");
  EXPECT_THAT(first.resource_names, ElementsAre("team-web"));
  stream->Send(
      TestResponse("acme.config.v1.Quota", "1").Resource(QuotaBytes("team-web", "250")).Bytes());
  EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
  EXPECT_EQ(alice->value()->requests_per_second, 250);

  stream->Send(
      TestResponse("acme.config.v1.Quota", "2").Resource(QuotaBytes("team-web", "many")).Bytes());
  const Heard rejected = alice->Next();
  EXPECT_EQ(rejected.kind, Heard::kAmbientError);
  EXPECT_THAT(rejected.text(), HasSubstr("quota \"team-web\": limit: must be a number"));
  const DiscoveryRequest nack =
      stream->NextRequest([](const auto& request) { return request.error_detail.has_value(); });
  EXPECT_THAT(nack.error_detail->message, HasSubstr("quota \"team-web\": limit: must be a number"));
  // Silence means nothing for such a type, a server's own word does.
  stream->Send(
      TestResponse("acme.config.v1.Quota", "3").Error("team-web", 5, "no such team").Bytes());
  EXPECT_EQ(alice->Next().cause(), Cause::kServerError);
}

TEST(EndToEndWatchers, OneTypeNameIsOneObject) {
  const QuotaType type;
  const QuotaType impostor;
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  auto alice = std::make_shared<RecordingWatcher<Quota>>();
  auto bob = std::make_shared<RecordingWatcher<Quota>>();
  const Watch watch = client->StartWatch(type, "team-web", alice);
  const Watch refused = client->StartWatch(impostor, "team-web", bob);
  const Heard heard = bob->Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(heard.cause(), Cause::kBadName);
  EXPECT_EQ(heard.text(),
            "quota \"team-web\": type acme.config.v1.Quota: this client already watches it through "
            "another type object; use that object, or an XdsClient of its own (node \"web-1\")");
  // The first one does not notice.
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(
      TestResponse("acme.config.v1.Quota", "1").Resource(QuotaBytes("team-web", "250")).Bytes());
  EXPECT_THAT(alice->Next(), OfKind(Heard::kValue));
  EXPECT_EQ(alice->All().size(), 1);
  EXPECT_EQ(bob->All().size(), 1);
}

TEST(EndToEndWatchers, ATypeIsNamedWithoutAUrl) {
  class UrlType final : public ResourceType<Quota> {
    std::string type_name() const override { return "type.googleapis.com/acme.config.v1.Quota"; }
    absl::StatusOr<Quota> Decode(absl::string_view) const override { return Quota(); }
  };
  const UrlType type;
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  auto alice = std::make_shared<RecordingWatcher<Quota>>();
  const Watch watch = client->StartWatch(type, "team-web", alice);
  const Heard heard = alice->Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(heard.text(), HasSubstr("type_name() must be the name of a message, without "
                                      "\"type.googleapis.com/\""));
}

}  // namespace
}  // namespace holdfast
