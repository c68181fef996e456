// Whoever asks what clients run is told when some of them cannot be asked.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "tests/end_to_end/control/control_under_test.h"
#include "tests/support/ads_test_client.h"

namespace holdfast {
namespace {

using ::envoy::service::status::v3::ClientStatusDiscoveryService;
using ::envoy::service::status::v3::ClientStatusResponse;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Does something on the thread of a worker, the first time that a client rejects something.
class OnRejection final : public LogSink {
 public:
  std::function<void()> act;

  void Log(Severity, absl::string_view, absl::string_view text) override {
    if (!absl::StrContains(text, " rejected ") || has_acted_) return;
    has_acted_ = true;
    act();
  }

 private:
  bool has_acted_ = false;
};

class IncompleteReports : public testing::Test {
 protected:
  IncompleteReports() {
    ControlPlaneOptions options;
    options.workers = 1;
    options.log = &log_;
    control_ = std::make_unique<ControlUnderTest>(std::move(options));
    control_->Put(kClusterTypeName, "pay", "v1");
    client_ = std::make_unique<AdsTestClient>(control_->address());
  }

  // Until may_go_on_.
  std::unique_ptr<AdsTestStream> KeepWorkerBusy() {
    log_.act = [this] {
      is_busy_.Notify();
      may_go_on_.WaitForNotification();
    };
    std::unique_ptr<AdsTestStream> stream = client_->OpenSotw();
    stream->Ask(kClusterTypeName, {"pay"});
    stream->Nack(stream->Next(), "no");
    is_busy_.WaitForNotification();
    return stream;
  }

  // The worker is gone before what it waits for.
  absl::Notification is_busy_;
  absl::Notification may_go_on_;
  OnRejection log_;
  std::unique_ptr<ControlUnderTest> control_;
  std::unique_ptr<AdsTestClient> client_;
};

TEST_F(IncompleteReports, SayThatAWorkerIsBusy) {
  const std::unique_ptr<AdsTestStream> stream = KeepWorkerBusy();
  const std::string expected =
      "1 of 1 workers had no answer within 2s: its clients are missing here; ask again";
  const ClientsReport clients = control_->plane().Clients();
  EXPECT_THAT(clients.clients, IsEmpty());
  EXPECT_EQ(clients.incomplete, expected);
  const ResourcesReport resources = control_->plane().Resources();
  EXPECT_EQ(resources.resources.size(), 1u);
  EXPECT_EQ(resources.incomplete, expected);
  EXPECT_EQ(control_->plane().Errors().incomplete, expected);
  may_go_on_.Notify();
  while (control_->plane().Clients().clients.empty()) {
  }
  EXPECT_EQ(control_->plane().Clients().incomplete, "");
}

// CSDS cannot say that something is missing; and one asker at a time costs memory.
TEST_F(IncompleteReports, AreNoneInCsds) {
  const std::unique_ptr<AdsTestStream> stream = KeepWorkerBusy();
  const auto fetch = [this] {
    const auto stub = ClientStatusDiscoveryService::NewStub(
        grpc::CreateChannel(control_->address(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    ClientStatusResponse response;
    const grpc::Status status = stub->FetchClientStatus(&context, {}, &response);
    return std::make_pair(status.error_code(), status.error_message());
  };
  std::pair<grpc::StatusCode, std::string> other;
  std::thread thread([&] { other = fetch(); });
  const std::pair<grpc::StatusCode, std::string> own = fetch();
  thread.join();
  may_go_on_.Notify();
  EXPECT_THAT(
      std::vector({own, other}),
      UnorderedElementsAre(
          Pair(grpc::StatusCode::UNAVAILABLE,
               "1 of 1 workers had no answer within 2s: its clients are missing here; ask again"),
          Pair(grpc::StatusCode::RESOURCE_EXHAUSTED,
               "somebody else is just told the status of all clients, and one at a time is; ask "
               "again")));
}

TEST_F(IncompleteReports, ComeAtOnceToAWorkerItself) {
  absl::Notification was_asked;
  ClientsReport clients;
  ResourcesReport resources;
  ErrorsReport errors;
  log_.act = [&] {
    clients = control_->plane().Clients();
    resources = control_->plane().Resources();
    errors = control_->plane().Errors();
    was_asked.Notify();
  };
  const auto stream = client_->OpenSotw();
  stream->Ask(kClusterTypeName, {"pay"});
  stream->Nack(stream->Next(), "no");
  was_asked.WaitForNotification();
  const std::string expected =
      "asked by a thread that serves clients, which cannot wait for what they run: they are "
      "missing here; ask from another thread";
  EXPECT_EQ(clients.incomplete, expected);
  EXPECT_EQ(resources.incomplete, expected);
  EXPECT_EQ(errors.incomplete, expected);
}

}  // namespace
}  // namespace holdfast
