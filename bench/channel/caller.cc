#include "bench/channel/caller.h"

#include <grpcpp/grpcpp.h>
#include <malloc.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "acme/test/v1/echo.grpc.pb.h"
#include "base/check.h"
#include "bench/channel/bench_failure.h"
#include "bench/channel/world.h"
#include "holdfast/grpc/channel.h"
#include "holdfast/grpc/lb_policy.h"

namespace holdfast {
namespace {

using acme::test::v1::Echo;
using acme::test::v1::EchoReply;
using acme::test::v1::EchoRequest;

std::atomic<int64_t> waited = 0;

// Tells a call to wait when the application makes it, and lets it go when it is asked again, which
// happens on the thread that makes pickers.
class WaitOncePicker final : public LbPicker {
 public:
  LbPick Pick(const LbPickArgs&) override {
    if (std::this_thread::get_id() == maker_) return LbPick::Endpoint(0);
    ++waited;
    return LbPick::Wait();
  }

 private:
  const std::thread::id maker_ = std::this_thread::get_id();
};

class WaitOnce final : public LbPolicyInstance {
 public:
  std::shared_ptr<LbPicker> MakePicker(const std::vector<LbEndpoint>&) override {
    return std::make_shared<WaitOncePicker>();
  }
};

class WaitOnceFactory final : public LbPolicyFactory {
 public:
  std::string name() const override { return kWaitOncePolicy; }
  absl::StatusOr<std::unique_ptr<LbPolicyInstance>> Create(absl::string_view) const override {
    return std::make_unique<WaitOnce>();
  }
};

void UseBootstrap(const std::string& port) {
  setenv("GRPC_XDS_BOOTSTRAP_CONFIG",
         absl::StrCat(R"({"xds_servers":[{"server_uri":"127.0.0.1:)", port,
                      R"(","channel_creds":[{"type":"insecure"}],"server_features":["xds_v3"]}],)",
                      R"("node":{"id":"bench"}})")
             .c_str(),
         /*overwrite=*/1);
  unsetenv("GRPC_XDS_BOOTSTRAP");
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) unsetenv(name);
}

std::shared_ptr<grpc::ChannelInterface> ChannelOf(const std::string& who, const std::string& port) {
  const std::string target = absl::StrCat("xds:///", kBenchListener);
  const auto credentials = grpc::InsecureChannelCredentials();
  if (who == "ours") return holdfast::CreateChannel(target, credentials);
  if (who == "debian") return grpc::CreateChannel(target, credentials);
  HOLDFAST_CHECK(who == "plain");
  return grpc::CreateChannel(absl::StrCat("ipv4:127.0.0.1:", port), credentials);
}

void ExpectOk(const grpc::Status& status) {
  if (status.ok()) return;
  FailBench(absl::StrCat("a call failed with ", status.error_code(), ": ", status.error_message()));
}

class Caller {
 public:
  explicit Caller(std::shared_ptr<grpc::ChannelInterface> channel)
      : channel_(std::move(channel)), stub_(Echo::NewStub(channel_)) {
    request_.set_text("hello world 0123");
  }

  void CallSync(int count, bool waits_for_ready) {
    for (int i = 0; i < count; ++i) CallOnce(waits_for_ready);
  }

  void CallBack(int count, bool waits_for_ready) {
    std::promise<void> done;
    BackCall call;
    std::function<void()> next = [&] {
      if (count-- == 0) return done.set_value();
      call.context = std::make_unique<grpc::ClientContext>();
      call.context->set_wait_for_ready(waits_for_ready);
      stub_->async()->Unary(call.context.get(), &request_, &call.reply, [&](grpc::Status status) {
        ExpectOk(status);
        next();
      });
    };
    next();
    done.get_future().get();
  }

  int64_t CallUntil(const std::string& port) {
    const std::string end = absl::StrCat(":", port);
    while (!absl::EndsWith(CallOnce(/*waits_for_ready=*/true), end)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  // gRPC's own channel does nothing while nobody waits for it.
  void Watch() {
    std::thread([channel = channel_] {
      for (;;) {
        const grpc_connectivity_state state = channel->GetState(true);
        channel->WaitForStateChange(
            state, std::chrono::system_clock::now() + std::chrono::milliseconds(100));
      }
    }).detach();
  }

 private:
  struct BackCall {
    std::unique_ptr<grpc::ClientContext> context;
    EchoReply reply;
  };

  std::string CallOnce(bool waits_for_ready) {
    grpc::ClientContext context;
    context.set_wait_for_ready(waits_for_ready);
    EchoReply reply;
    ExpectOk(stub_->Unary(&context, request_, &reply));
    return context.peer();
  }

  const std::shared_ptr<grpc::ChannelInterface> channel_;
  const std::unique_ptr<Echo::Stub> stub_;
  EchoRequest request_;
};

int64_t Microseconds(const timeval& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

int64_t CpuUs() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime);
}

int64_t ResidentKb() {
  malloc_trim(0);
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    absl::string_view text = line;
    int64_t kb = 0;
    if (absl::ConsumePrefix(&text, "VmRSS:") && absl::ConsumeSuffix(&text, "kB") &&
        absl::SimpleAtoi(text, &kb)) {
      return kb;
    }
  }
  FailBench("this system does not say how much memory is resident");
}

std::string Answer(const std::string& line, Caller& caller) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words[0] == "cpu") return absl::StrCat("cpu ", CpuUs());
  if (words[0] == "memory") return absl::StrCat("memory ", ResidentKb());
  if (words[0] == "waited") return absl::StrCat("waited ", waited.load());
  if (words[0] == "watch") {
    caller.Watch();
    return "ok";
  }
  if (words[0] == "until" && words.size() == 2) {
    return absl::StrCat("until ", caller.CallUntil(words[1]));
  }
  int count = 0;
  if (words[0] == "calls" && words.size() == 3 && absl::SimpleAtoi(words[2], &count)) {
    const bool waits_for_ready = absl::EndsWith(words[1], "-ready");
    absl::StartsWith(words[1], "sync") ? caller.CallSync(count, waits_for_ready)
                                       : caller.CallBack(count, waits_for_ready);
    return "ok";
  }
  FailBench(absl::StrCat("a client does not understand \"", line, "\""));
}

}  // namespace

int RunCaller(const std::vector<std::string>& arguments) {
  HOLDFAST_CHECK(arguments.size() == 3);
  UseBootstrap(arguments[1]);
  HOLDFAST_CHECK(RegisterLbPolicy(std::make_shared<WaitOnceFactory>()).ok());
  Caller caller(ChannelOf(arguments[0], arguments[2]));
  std::string line;
  while (std::getline(std::cin, line)) std::cout << Answer(line, caller) << std::endl;
  // How channels end is not measured.
  std::_Exit(0);
}

}  // namespace holdfast
