// Every shape of call, and a control plane that says something else many times a second, or dies.
// See tests/channel/call_stress.h for how long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tests/channel/call_stress.h"
#include "tests/channel/echo_server.h"
#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

// Everything to one cluster. The other one is wanted too, so that it stays known.
std::string RoutesTo(const std::string& cluster, const std::string& other) {
  return RoutesBytes(
      "pay-routes", cluster,
      absl::StrCat("routes { match { prefix: \"/nobody/\" } route { cluster: \"", other, "\" } }"));
}

constexpr absl::string_view kPickFirst =
    "load_balancing_policy { policies { typed_extension_config { typed_config { "
    "[type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst] {} } } "
    "} }";

class FlappingControlPlane : public testing::Test {
 protected:
  // What it does. It is back to what others may rely on when it returns.
  using Step = std::function<void()>;

  // Only what leaves something usable.
  std::vector<Step> Harmless() {
    return {
        [this] { PutEndpoints(SomeAlive()); },
        [this] { PutEndpoints(SomeAlive()); },
        [this] { PutEndpoints(AllAlive()); },
        [this] { PutEndpoints(With(dead_.address(), SomeAlive())); },
        [this] { PutCluster(kPickFirst); },
        [this] { PutCluster(""); },
        [this] { xds_.Put("rds", "pay-routes", RoutesTo("pay", "other")); },
        [this] { xds_.Put("rds", "pay-routes", RoutesTo("other", "pay")); },
        [this] { GoAndComeBack("lds", "pay", ListenerBytes("pay", "pay-routes")); },
        [this] { GoAndComeBack("cds", "pay", ClusterBytes("pay")); },
        [this] { GoWrong("cds", "pay", BadClusterBytes("pay"), ClusterBytes("pay")); },
        [this] { GoWrong("eds", "pay", "\xff", EndpointsBytes("pay", SomeAlive())); },
        [this] { DieAndComeBack(); },
    };
  }
  // Also what leaves nothing to call.
  std::vector<Step> Everything() {
    std::vector<Step> steps = Harmless();
    steps.insert(steps.end(), {
                                  [this] { PutEndpoints({}); },
                                  [this] { PutEndpoints({}); },
                                  [this] { PutEndpoints({dead_.address()}); },
                                  [this] { GoAndComeBack("cds", "other", ClusterBytes("other")); },
                                  [this] {
                                    GoWrong("rds", "pay-routes", RoutesTo("nowhere", "pay"),
                                            RoutesTo("pay", "other"));
                                  },
                              });
    return steps;
  }

  // Every call is judged; `may_fail`: those that do not wait for ready may find nothing to call.
  void Run(const std::vector<std::string>& features, const std::vector<Step>& steps,
           bool may_fail) {
    PutGood();
    std::shared_ptr<XdsClient> client = ClientOf(BootstrapFor(xds_.address(), features));
    const auto living = std::make_shared<LivingCalls>();
    // One of them with an interceptor.
    std::vector<std::shared_ptr<grpc::ChannelInterface>> channels = {ChannelOn(client, {}),
                                                                     ChannelOn(client, {living})};
    for (const auto& channel : channels) ExpectOkSoon(channel);

    CallStress stress(channels, [&](const StressedCall& call, const Outcome& outcome) {
      Judge(call, outcome, may_fail);
    });
    const auto end = std::chrono::steady_clock::now() + StressTime();
    int done = 0;
    for (; std::chrono::steady_clock::now() < end; ++done) {
      steps[random_() % steps.size()]();
      Pause(30);
    }
    PutGood();
    stress.Stop();
    std::cout << done << " changes, " << stress.Summary() << ", waited for ready " << waited_
              << ", in flight " << living->living() << "\n";

    EXPECT_GT(stress.count(grpc::StatusCode::OK), 0);
    EXPECT_EQ(stress.count(grpc::StatusCode::UNAVAILABLE) > 0, may_fail);
    EXPECT_EQ(living->living(), 0);
    for (const auto& backend : backends_) {
      EXPECT_TRUE(Eventually([&] { return backend.serving() == 0; })) << backend.serving();
    }
    for (const auto& channel : channels) ExpectOkSoon(channel);
    ExpectNothingIsLeft(std::move(channels), std::move(client));
  }

 private:
  static constexpr size_t kMostReported = 5;

  // Steps.
  void PutEndpoints(const std::vector<std::string>& addresses) {
    const std::string cluster = AnyCluster();
    xds_.Put("eds", cluster, EndpointsBytes(cluster, addresses));
  }
  void PutCluster(absl::string_view policy) {
    const std::string cluster = AnyCluster();
    xds_.Put("cds", cluster, ClusterBytes(cluster, policy));
  }
  void GoAndComeBack(absl::string_view type, const std::string& name, const std::string& bytes) {
    xds_.Remove(type, name);
    Pause(30);
    xds_.Put(type, name, bytes);
  }
  void GoWrong(absl::string_view type, const std::string& name, const std::string& bad,
               const std::string& good) {
    xds_.Put(type, name, bad);
    Pause(30);
    xds_.PutError(type, name, static_cast<int32_t>(random_() % 16 + 1), "ask #payments");
    Pause(30);
    xds_.Put(type, name, good);
  }
  // Longer than a client waits before it tries again, or shorter.
  void DieAndComeBack() {
    xds_.Kill();
    PutEndpoints(SomeAlive());
    Pause(200);
    xds_.Restart();
  }
  void PutGood() {
    xds_.Hold();
    xds_.Put("lds", "pay", ListenerBytes("pay", "pay-routes"));
    xds_.Put("rds", "pay-routes", RoutesTo("pay", "other"));
    for (const char* const cluster : {"pay", "other"}) {
      xds_.Put("cds", cluster, ClusterBytes(cluster));
      xds_.Put("eds", cluster, EndpointsBytes(cluster, AllAlive()));
    }
    xds_.LetGo();
  }
  void Pause(unsigned most_milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % most_milliseconds));
  }

  std::string AnyCluster() { return random_() % 2 == 0 ? "pay" : "other"; }
  std::vector<std::string> AllAlive() const {
    std::vector<std::string> addresses;
    for (const EchoServer& backend : backends_) {
      addresses.emplace_back(absl::StripPrefix(backend.address(), "ipv4:"));
    }
    return addresses;
  }
  // At least one, in any order.
  std::vector<std::string> SomeAlive() {
    std::vector<std::string> addresses = AllAlive();
    std::shuffle(addresses.begin(), addresses.end(), random_);
    addresses.resize(1 + random_() % addresses.size());
    return addresses;
  }
  static std::vector<std::string> With(const std::string& first, std::vector<std::string> others) {
    others.insert(others.begin(), first);
    return others;
  }

  std::shared_ptr<grpc::ChannelInterface> ChannelOn(const std::shared_ptr<XdsClient>& client,
                                                    const SharedInterceptors& interceptors) const {
    ChannelOptions options;
    options.interceptors = interceptors;
    options.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    options.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 100);
    return CreateChannelOn(client, BootstrapFor(xds_.address()), "xds:///pay",
                           grpc::InsecureChannelCredentials(), options);
  }

  // A call ends well, or for a reason of its own, or because there is nobody to call, and says so.
  void Judge(const StressedCall& call, const Outcome& outcome, bool may_fail) {
    if (call.waits_for_ready) ++waited_;
    const grpc::Status& status = outcome.status;
    bool is_right = false;
    if (status.ok()) {
      is_right = outcome.texts == ExpectedTexts(call.shape.kind, "hi");
    } else if (status.error_code() == grpc::StatusCode::CANCELLED) {
      is_right = call.is_cancelled;
    } else if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
      is_right = call.has_little_time;
    } else if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
      const std::string& text = status.error_message();
      is_right = may_fail && !call.waits_for_ready &&
                 (absl::StartsWith(text, "cluster \"") || absl::StartsWith(text, "target \""));
    }
    if (is_right) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (++wrong_ > kMostReported) return;
    ADD_FAILURE() << NameOf(call.shape) << (call.waits_for_ready ? ", waits for ready" : "")
                  << (call.is_cancelled ? ", cancelled" : "")
                  << (call.has_little_time ? ", with little time" : "") << ": " << Words(status);
  }

  static void ExpectOkSoon(const std::shared_ptr<grpc::ChannelInterface>& channel) {
    const auto stub = echo::Echo::NewStub(channel);
    std::string last;
    EXPECT_TRUE(Eventually([&] {
      grpc::ClientContext context;
      echo::EchoReply reply;
      last = Words(stub->Unary(&context, {}, &reply));
      return last == "OK";
    })) << last;
  }

  // A channel keeps its client until it is taken down.
  static void ExpectNothingIsLeft(std::vector<std::shared_ptr<grpc::ChannelInterface>> channels,
                                  std::shared_ptr<XdsClient> client) {
    const std::weak_ptr<XdsClient> weak = client;
    channels.clear();
    client = nullptr;
    EXPECT_TRUE(Eventually([&] { return weak.expired(); }));
  }

  std::mt19937 random_{1};
  std::array<EchoServer, 3> backends_;
  const ReservedPort dead_;
  ObligingXdsServer xds_;
  std::atomic<int> waited_ = 0;
  std::mutex mutex_;
  size_t wrong_ = 0;
};

// R11.05
TEST_F(FlappingControlPlane, FailsNoCallWhileSomethingUsableIsKnown) {
  Run({}, Harmless(), /*may_fail=*/false);
}

// R11.40 R11.41
TEST_F(FlappingControlPlane, EndsEveryCallWithACodeThatIsAllowed) {
  Run({"fail_on_data_errors"}, Everything(), /*may_fail=*/true);
}

}  // namespace
}  // namespace holdfast
