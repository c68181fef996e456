#include "bench/wire_client.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/cluster_response.h"
#include "client/client_core.h"
#include "resources/decode/registry.h"
#include "runtime/channel_credentials.h"
#include "runtime/grpc_ads_transport.h"
#include "wire/ads.h"

namespace holdfast {
namespace {

constexpr int kWarmUp = 5;
constexpr int kMeasured = 100;
constexpr char kMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "bench_client: %s\n", what.c_str());
  std::exit(1);
}

// Sends the response with another version each time a request arrives that answers the last one;
// every version has the same resources.
class Pusher final : public grpc::ServerGenericBidiReactor {
 public:
  Pusher(int resources, grpc::Slice bytes)
      : resources_(resources), resources_bytes_(std::move(bytes)) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    grpc::Slice slice;
    if (!request_.DumpToSingleSlice(&slice).ok()) Fail("a request cannot be read");
    const auto request =
        ParseRequest(absl::string_view(reinterpret_cast<const char*>(slice.begin()), slice.size()));
    if (!request.ok()) Fail(request.status().ToString());
    // All names are there, or it is the floor, which names none.
    const bool is_complete = request->resource_names.size() == static_cast<size_t>(resources_) ||
                             request->resource_names.empty();
    {
      // The answer may be here before the end of the write is known.
      const std::lock_guard lock(mutex_);
      wants_push_ |= is_complete && request->response_nonce == last_nonce_;
      PushIfPossible();
    }
    StartRead(&request_);
  }
  void OnWriteDone(bool) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    PushIfPossible();
  }
  void OnDone() override { delete this; }

 private:
  void PushIfPossible() {
    if (!wants_push_ || is_writing_) return;
    wants_push_ = false;
    is_writing_ = true;
    const std::string version = absl::StrCat(++version_);
    last_nonce_ = absl::StrCat("nonce of ", version);
    // Two serialized messages one after the other are one with the fields of both.
    DiscoveryResponse head;
    head.version_info = version;
    head.nonce = last_nonce_;
    const grpc::Slice slices[] = {resources_bytes_, grpc::Slice(EncodeResponse(head))};
    response_ = grpc::ByteBuffer(slices, 2);
    StartWrite(&response_);
  }

  const int resources_;
  const grpc::Slice resources_bytes_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::mutex mutex_;  // guards the rest
  int version_ = 100;
  std::string last_nonce_;
  bool wants_push_ = false;
  bool is_writing_ = false;
};

class PusherService final : public grpc::CallbackGenericService {
 public:
  explicit PusherService(int resources)
      : resources_(resources), bytes_(ClusterResponse(resources)) {}
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Pusher(resources_, bytes_);
  }

 private:
  const int resources_;
  const grpc::Slice bytes_;
};

// Serves until its parent ends.
[[noreturn]] void Serve(int resources, int port_pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  PusherService service(resources);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (write(port_pipe, &port, sizeof(port)) != sizeof(port)) std::exit(1);
  server->Wait();
  std::exit(0);
}

double ProcessCpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A stream that receives and does nothing else; its answers name nothing.
double FloorSeconds(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  grpc::GenericStub stub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    if (!queue.Next(&tag, &ok) || !ok) Fail("the floor lost its stream");
  };
  auto stream = stub.PrepareCall(&context, kMethod, &queue);
  stream->StartCall(nullptr);
  wait();
  const auto send = [&](const std::string& nonce) {
    DiscoveryRequest request;
    request.type_url = kClusterUrl;
    request.response_nonce = nonce;
    const grpc::Slice slice(Encode(request));
    stream->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    wait();
  };
  send("");
  double start = 0;
  for (int i = 0; i < kWarmUp + kMeasured; ++i) {
    if (i == kWarmUp) start = ProcessCpuSeconds();
    grpc::ByteBuffer message;
    stream->Read(&message, nullptr);
    wait();
    if (message.Length() < 1000) Fail("the floor received too little");
    send(absl::StrCat("nonce of ", 101 + i));
  }
  const double seconds = (ProcessCpuSeconds() - start) / kMeasured;
  context.TryCancel();
  queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
  }
  return seconds;
}

// What is sent and received, counted on its way.
struct Traffic {
  std::mutex mutex;
  std::condition_variable changed;
  size_t bytes_sent = 0;
  int requests = 0;
  int responses = 0;
};

class CountingTransport final : public AdsTransport, private AdsTransport::Listener {
 public:
  CountingTransport(ControlLoop& loop, const GrpcAdsTransportOptions& options,
                    AdsTransport::Listener& listener, Traffic& traffic)
      : listener_(listener),
        traffic_(traffic),
        transport_(MakeGrpcAdsTransport(loop, options, *this)) {}

  void Open(StreamId stream) override { transport_->Open(stream); }
  void Send(StreamId stream, std::string message) override {
    {
      const std::lock_guard lock(traffic_.mutex);
      traffic_.bytes_sent += message.size();
      ++traffic_.requests;
    }
    transport_->Send(stream, std::move(message));
  }
  void Read(StreamId stream) override { transport_->Read(stream); }
  void Close(StreamId stream) override { transport_->Close(stream); }

 private:
  void OnSent(StreamId stream) override { listener_.OnSent(stream); }
  void OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) override {
    listener_.OnMessage(stream, pieces);
    const std::lock_guard lock(traffic_.mutex);
    ++traffic_.responses;
    traffic_.changed.notify_all();
  }
  void OnClosed(StreamId stream, const absl::Status& status, bool is_channel_failing) override {
    listener_.OnClosed(stream, status, is_channel_failing);
  }
  void OnChannelReady() override { listener_.OnChannelReady(); }

  AdsTransport::Listener& listener_;
  Traffic& traffic_;
  const std::unique_ptr<AdsTransport> transport_;
};

class Ignorer final : public AnyWatcher {
 public:
  void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
    if (!update.ok()) Fail(update.status().ToString());
  }
  void OnAmbientError(absl::Status status, const std::string&) override {
    if (!status.ok()) Fail(status.ToString());
  }
};

void MeasureClient(const std::string& address, int resources, WireCosts& costs) {
  const auto bootstrap =
      Bootstrap::Parse(absl::StrCat(R"({"xds_servers": [{"server_uri": ")", address,
                                    R"(", "channel_creds": [{"type": "insecure"}]}]})"));
  GrpcAdsTransportOptions transport;
  transport.server_uri = address;
  transport.credentials = grpc::InsecureChannelCredentials();
  Traffic& traffic = *new Traffic();  // outlives the client, whose end nobody waits for
  ClientParts parts;
  parts.loop = &ControlLoop::Shared();
  parts.make_transport = [&](ControlLoop& loop, AdsTransport::Listener& listener) {
    return std::make_unique<CountingTransport>(loop, transport, listener, traffic);
  };
  const auto client = ClientCore::Create(*bootstrap, XdsClientOptions(), parts);
  for (int i = 0; i < resources; ++i) {
    client->StartWatch(ClusterType(), ClusterName(i), std::make_shared<Ignorer>());
  }
  const auto wait_for = [&](int responses) {
    std::unique_lock lock(traffic.mutex);
    const bool is_there = traffic.changed.wait_for(lock, std::chrono::seconds(60),
                                                   [&] { return traffic.responses >= responses; });
    if (!is_there) Fail("the client did not get its responses");
  };
  wait_for(1);
  {
    // Up to the first response, and its ACK.
    const std::lock_guard lock(traffic.mutex);
    costs.subscribe_bytes = traffic.bytes_sent;
    costs.subscribe_requests = traffic.requests;
  }
  wait_for(kWarmUp);
  const double start = ProcessCpuSeconds();
  wait_for(kWarmUp + kMeasured);
  costs.client_seconds = (ProcessCpuSeconds() - start) / kMeasured;
  client->Shutdown();
}

}  // namespace

WireCosts MeasureOverTheWire(int resources) {
  int port_pipe[2];
  if (pipe(port_pipe) != 0) Fail("no pipe");
  const pid_t server = fork();
  if (server == 0) Serve(resources, port_pipe[1]);
  int port = 0;
  if (server < 0 || read(port_pipe[0], &port, sizeof(port)) != sizeof(port)) Fail("no server");
  const std::string address = absl::StrCat("127.0.0.1:", port);
  WireCosts costs = {};
  costs.floor_seconds = FloorSeconds(address);
  MeasureClient(address, resources, costs);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  return costs;
}

}  // namespace holdfast
