// A program with channels, as its user sees it from outside: what calls say, and how it ends.
//
//   channel_exit_program HOW TARGET
//
// HOW: report           prints what becomes of a call, and of one that waits for readiness
//      report-null      the same without credentials
//      report-xds       the same with XdsCredentials
//      scopes           prints the client_scope of each client that its own CSDS shows
//      static           ends with a channel in a static object
//      leaked           ends with a channel in an object that is never destroyed
//      live-KIND        ends while a call is under way
//      queued-KIND      ends while a call waits for the control plane
//      reaction         by exit() inside a reaction to a call
//      picker           by exit() inside a load balancing policy
//      thread           by exit() in another thread, while a call waits in this one
//      joined           while a static object waits for a thread whose call waits
//      joined-ready     the same, and the call waits for readiness
// KIND: sync, async or callback; ready-sync and so on: the call waits for readiness. Exits with 0,
// after what was to happen first has happened.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "envoy/service/status/v3/csds.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "holdfast/grpc/channel.h"
#include "holdfast/grpc/lb_policy.h"
#include "holdfast/xds/admin.h"

namespace {

namespace pb = grpc::health::v1;
using Channel = std::shared_ptr<grpc::ChannelInterface>;

constexpr std::chrono::seconds kPatience{30};

// Destroyed while the process takes itself apart.
Channel& StaticChannel() {
  static Channel channel;
  return channel;
}

// Older than any channel, so it ends after what channels need has ended.
struct Worker {
  ~Worker() {
    if (thread.joinable()) thread.join();
  }
  std::thread thread;
};
Worker& StaticWorker() {
  static Worker worker;
  return worker;
}

// Never destroyed.
void Keep(std::shared_ptr<void> object) {
  static auto& kept = *new std::vector<std::shared_ptr<void>>;
  kept.push_back(std::move(object));
}

std::string Words(const grpc::Status& status) {
  return absl::StrCat(absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code())),
                      status.ok() ? "" : ": ", status.error_message());
}

grpc::Status Check(const Channel& channel, bool waits_for_ready = false) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  context.set_wait_for_ready(waits_for_ready);
  pb::HealthCheckResponse response;
  return pb::Health::NewStub(channel)->Check(&context, {}, &response);
}

int Report(const Channel& channel) {
  for (const bool waits_for_ready : {false, true}) {
    std::printf("%s\n", Words(Check(channel, waits_for_ready)).c_str());
  }
  return 0;
}

int Scopes(const Channel& channel) {
  using envoy::service::status::v3::ClientStatusDiscoveryService;
  if (!Check(channel).ok()) return 1;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  holdfast::AddAdminServices(&builder);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  const auto stub = ClientStatusDiscoveryService::NewStub(
      grpc::CreateChannel(absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  envoy::service::status::v3::ClientStatusResponse response;
  if (!stub->FetchClientStatus(&context, {}, &response).ok()) return 1;
  for (const auto& config : response.config()) {
    std::printf("%s: %d resources\n", config.client_scope().c_str(),
                config.generic_xds_configs_size());
  }
  return 0;
}

// A stream that never ends, in one way or another. `on_first` runs when there is a first message.
struct StreamOfCall {
  StreamOfCall(const Channel& channel, bool waits_for_ready) : stub(pb::Health::NewStub(channel)) {
    context.set_wait_for_ready(waits_for_ready);
  }

  const std::unique_ptr<pb::Health::Stub> stub;
  grpc::ClientContext context;
  pb::HealthCheckRequest request;
  pb::HealthCheckResponse response;
};

void ReadInAThread(const Channel& channel, bool waits_for_ready, std::function<void()> on_first) {
  std::thread([channel, waits_for_ready, on_first = std::move(on_first)] {
    StreamOfCall call(channel, waits_for_ready);
    const auto reader = call.stub->Watch(&call.context, call.request);
    if (reader->Read(&call.response)) on_first();
    reader->Read(&call.response);
  }).detach();
}

class AsyncRead {
 public:
  AsyncRead(const Channel& channel, bool waits_for_ready) : call_(channel, waits_for_ready) {
    reader_ = call_.stub->PrepareAsyncWatch(&call_.context, call_.request, &queue_);
    reader_->StartCall(this);
  }
  void WaitForFirst() {
    Next();
    reader_->Read(&call_.response, this);
    Next();
    reader_->Read(&call_.response, this);
  }

 private:
  void Next() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
  }

  StreamOfCall call_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReader<pb::HealthCheckResponse>> reader_;
};

class Reaction final : public grpc::ClientReadReactor<pb::HealthCheckResponse> {
 public:
  Reaction(const Channel& channel, bool waits_for_ready, std::function<void()> on_first)
      : call_(channel, waits_for_ready), on_first_(std::move(on_first)) {
    call_.stub->async()->Watch(&call_.context, &call_.request, this);
    StartRead(&call_.response);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    StartRead(&call_.response);
    on_first_();
  }
  void OnDone(const grpc::Status&) override {}

 private:
  StreamOfCall call_;
  const std::function<void()> on_first_;
};

int EndWithACall(const Channel& channel, const std::string& how) {
  const bool is_live = absl::StartsWith(how, "live-");
  const bool waits_for_ready = absl::StrContains(how, "-ready-");
  // So that the call is made on a connection that is ready, and not parked.
  if (is_live && waits_for_ready && !Check(channel, waits_for_ready).ok()) return 1;
  auto first = std::make_shared<std::promise<void>>();
  std::future<void> has_first = first->get_future();
  const auto on_first = [first] { first->set_value(); };
  StaticChannel() = channel;
  if (absl::EndsWith(how, "-sync")) {
    ReadInAThread(channel, waits_for_ready, on_first);
    if (is_live) has_first.wait();
  } else if (absl::EndsWith(how, "-async")) {
    const auto read = std::make_shared<AsyncRead>(channel, waits_for_ready);
    Keep(read);
    if (is_live) read->WaitForFirst();
  } else if (absl::EndsWith(how, "-callback")) {
    Keep(std::make_shared<Reaction>(channel, waits_for_ready, on_first));
    if (is_live) has_first.wait();
  } else {
    return 64;
  }
  // A call that waits has woken its channel.
  const bool woke =
      channel->WaitForStateChange(GRPC_CHANNEL_IDLE, std::chrono::system_clock::now() + kPatience);
  return woke ? 0 : 1;
}

class ExitingPolicy final : public holdfast::LbPolicyFactory {
 public:
  std::string name() const override { return "holdfast.test.Exit"; }
  absl::StatusOr<std::unique_ptr<holdfast::LbPolicyInstance>> Create(
      absl::string_view) const override {
    std::exit(0);
  }
};

int End(const Channel& channel, const std::string& how) {
  if (how == "static" || how == "leaked") {
    if (how == "static") StaticChannel() = channel;
    if (how == "leaked") Keep(std::make_shared<Channel>(channel));
    return Check(channel).ok() ? 0 : 1;
  }
  if (how == "reaction") {
    Keep(std::make_shared<Reaction>(channel, /*waits_for_ready=*/false, [] { std::exit(0); }));
    std::this_thread::sleep_for(kPatience);
    return 1;
  }
  if (how == "picker") {
    Check(channel);
    return 1;
  }
  if (how == "thread") {
    std::thread([channel] {
      channel->WaitForStateChange(GRPC_CHANNEL_IDLE, std::chrono::system_clock::now() + kPatience);
      std::exit(0);
    }).detach();
    // Its wait ends with the process, and this thread must not end it a second time.
    Check(channel);
    std::this_thread::sleep_for(kPatience);
    return 1;
  }
  if (how == "joined" || how == "joined-ready") {
    const bool waits_for_ready = how == "joined-ready";
    StaticWorker().thread = std::thread([channel, waits_for_ready] {
      const grpc::Status status = Check(channel, waits_for_ready);
      std::printf("%s\n", Words(status).c_str());
    });
    const auto until = std::chrono::system_clock::now() + kPatience;
    return channel->WaitForStateChange(GRPC_CHANNEL_IDLE, until) &&
                   (!waits_for_ready || channel->WaitForStateChange(GRPC_CHANNEL_CONNECTING, until))
               ? 0
               : 1;
  }
  return EndWithACall(channel, how);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  StaticWorker();
  const std::string how = argv[1];
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (how == "report-null") credentials = nullptr;
  if (how == "report-xds") {
    credentials = grpc::XdsCredentials(grpc::InsecureChannelCredentials());
  }
  if (!holdfast::RegisterLbPolicy(std::make_shared<ExitingPolicy>()).ok()) return 1;
  const Channel channel = holdfast::CreateChannel(argv[2], credentials);
  if (absl::StartsWith(how, "report")) return Report(channel);
  if (how == "scopes") return Scopes(channel);
  return End(channel, how);
}
