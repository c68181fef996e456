// A control plane that dies in the middle of an update: calls go on with what there was, and with
// the update when it is back.
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/client_core.h"
#include "resources/decode/registry.h"
#include "tests/end_to_end/channel/channel_under_test.h"
#include "tests/end_to_end/channel/parked_call.h"

namespace holdfast {
namespace {

// Waits for the first error it hears.
class ErrorWatcher final : public AnyWatcher {
 public:
  void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
    if (update.ok() || std::exchange(has_heard_, true)) return;
    error_.set_value(update.status());
  }
  void OnAmbientError(absl::Status, const std::string&) override {}

  absl::Status Wait() { return error_.get_future().get(); }

 private:
  bool has_heard_ = false;
  std::promise<absl::Status> error_;
};

class DyingControlPlane : public testing::Test {
 protected:
  DyingControlPlane() {
    PutPay(xds_, {old_.address()});
    channel_.emplace(xds_.address());
    EXPECT_EQ(Words(channel_->CallUntilOk().status), "OK");
  }

  // The channel has asked for this one; it is not sent any more.
  void DieBefore(absl::string_view type, const AnyResourceType& its_type, const std::string& name) {
    xds_.WaitForSubscription(type, name);
    xds_.Kill();
    // Told after the channel, which asked first.
    const auto watcher = std::make_shared<ErrorWatcher>();
    const std::shared_ptr<ClientCore> client = ClientCore::Of(channel_->client());
    const WatchId watch = client->StartWatch(its_type, name, watcher);
    const std::optional<ErrorDetail> detail = DetailOf(watcher->Wait());
    ASSERT_TRUE(detail.has_value());
    EXPECT_EQ(detail->cause, Cause::kConnectivity) << detail->text;
    client->CancelWatch(watch);
    LetTheLoopRun();
  }
  void ExpectCallsGoTo(const Backend& backend) {
    for (int i = 0; i < 20; ++i) {
      const CallResult result = channel_->Call();
      EXPECT_EQ(Words(result.status), "OK");
      EXPECT_EQ(result.peer, backend.peer());
    }
  }
  void ExpectCallsMoveTo(const Backend& backend) {
    EXPECT_TRUE(Eventually([&] {
      const CallResult result = channel_->Call();
      EXPECT_EQ(Words(result.status), "OK");
      return result.peer == backend.peer();
    }));
  }

  Backend old_;
  Backend new_;
  ObligingXdsServer xds_;
  std::optional<ChannelUnderTest> channel_;
};

TEST_F(DyingControlPlane, BeforeNewRoutes) {  // R11.03, R11.14
  xds_.Put("lds", "pay", ListenerBytes("pay", "new-routes"));
  DieBefore("rds", RouteConfigType(), "new-routes");
  ExpectCallsGoTo(old_);
  xds_.Put("rds", "new-routes", RoutesBytes("new-routes", "new"));
  xds_.Put("cds", "new", ClusterBytes("new"));
  xds_.Put("eds", "new", EndpointsBytes("new", {new_.address()}));
  xds_.Restart();
  ExpectCallsMoveTo(new_);
}

TEST_F(DyingControlPlane, BeforeANewCluster) {  // R11.03
  xds_.Put("rds", "pay-routes", RoutesBytes("pay-routes", "new"));
  DieBefore("cds", ClusterType(), "new");
  ExpectCallsGoTo(old_);
  xds_.Put("cds", "new", ClusterBytes("new"));
  xds_.Put("eds", "new", EndpointsBytes("new", {new_.address()}));
  xds_.Restart();
  ExpectCallsMoveTo(new_);
}

TEST_F(DyingControlPlane, BeforeEndpointsOfAnotherName) {  // R11.03
  xds_.Put("cds", "pay",
           FromText("envoy.config.cluster.v3.Cluster",
                    "name: \"pay\" type: EDS eds_cluster_config { service_name: \"new\" eds_config "
                    "{ ads {} } }"));
  DieBefore("eds", EndpointsType(), "new");
  ExpectCallsGoTo(old_);
  xds_.Put("eds", "new", EndpointsBytes("new", {new_.address()}));
  xds_.Restart();
  ExpectCallsMoveTo(new_);
}

}  // namespace
}  // namespace holdfast
