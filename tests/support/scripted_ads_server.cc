#include "tests/support/scripted_ads_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "tests/support/patience.h"
#include "tests/support/reserved_port.h"
#include "wire/ads.h"

namespace holdfast {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.raw_code()),
                      std::string(status.message()));
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  HOLDFAST_CHECK(buffer.Dump(&slices).ok());
  std::string bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

// What the test and gRPC's threads share of one call. The reactor lives until OnDone, which gRPC
// calls only after Finish and when no write is in flight: both are decided under the mutex, and
// done outside it, because gRPC may answer from inside.
struct ScriptedStream::State {
  State(std::string method_name, grpc::ServerGenericBidiReactor* call_reactor)
      : method(std::move(method_name)), reactor(call_reactor) {}

  // Starts the one thing that is due, if any.
  void Pump() ABSL_LOCKS_EXCLUDED(mutex) {
    std::optional<grpc::Status> finish;
    {
      absl::MutexLock lock(&mutex);
      if (is_writing || is_finished) return;
      if (!unsent.empty() && !is_closed) {
        is_writing = true;
        const grpc::Slice slice(unsent.front());
        writing = grpc::ByteBuffer(&slice, 1);
        unsent.pop_front();
      } else if (finish_with.has_value()) {
        is_finished = true;
        finish = finish_with;
      } else {
        return;
      }
    }
    if (finish.has_value()) {
      reactor->Finish(*finish);
    } else {
      reactor->StartWrite(&writing);
    }
  }

  void FinishWith(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex) {
    {
      absl::MutexLock lock(&mutex);
      if (!finish_with.has_value()) finish_with = status;
    }
    Pump();
  }

  // The client is gone; nothing more can be said to it.
  void Close() ABSL_LOCKS_EXCLUDED(mutex) {
    {
      absl::MutexLock lock(&mutex);
      is_closed = true;
    }
    FinishWith(grpc::Status::OK);
  }

  const std::string method;
  grpc::ServerGenericBidiReactor* const reactor;
  grpc::ByteBuffer writing;  // touched only by whoever set is_writing

  mutable absl::Mutex mutex;
  std::vector<DiscoveryRequest> requests ABSL_GUARDED_BY(mutex);
  size_t returned ABSL_GUARDED_BY(mutex) = 0;
  std::deque<std::string> unsent ABSL_GUARDED_BY(mutex);
  bool is_writing ABSL_GUARDED_BY(mutex) = false;
  bool is_reading ABSL_GUARDED_BY(mutex) = true;
  bool is_closed ABSL_GUARDED_BY(mutex) = false;
  std::optional<grpc::Status> finish_with ABSL_GUARDED_BY(mutex);
  bool is_finished ABSL_GUARDED_BY(mutex) = false;
};

namespace {

class Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Reactor(std::string method)
      : state_(std::make_shared<ScriptedStream::State>(std::move(method), this)) {
    StartRead(&message_);
  }

  const std::shared_ptr<ScriptedStream::State>& state() const { return state_; }

  void OnReadDone(bool ok) override {
    if (!ok) {
      state_->Close();
      return;
    }
    absl::StatusOr<DiscoveryRequest> request = ParseRequest(BytesOf(message_));
    if (!request.ok()) ADD_FAILURE() << "the client sent no request: " << request.status();
    bool read_on;
    {
      absl::MutexLock lock(&state_->mutex);
      if (request.ok()) state_->requests.push_back(*std::move(request));
      read_on = state_->is_reading;
    }
    if (read_on) StartRead(&message_);
  }

  void OnWriteDone(bool ok) override {
    {
      absl::MutexLock lock(&state_->mutex);
      state_->is_writing = false;
      if (!ok) state_->is_closed = true;
    }
    state_->Pump();
  }

  void OnCancel() override { state_->Close(); }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<ScriptedStream::State> state_;
  grpc::ByteBuffer message_;
};

}  // namespace

ScriptedStream::ScriptedStream(std::shared_ptr<State> state) : state_(std::move(state)) {}

const std::string& ScriptedStream::method() const { return state_->method; }

DiscoveryRequest ScriptedStream::NextRequest() {
  return NextRequest([](const DiscoveryRequest&) { return true; });
}

DiscoveryRequest ScriptedStream::NextRequest(
    const std::function<bool(const DiscoveryRequest&)>& wanted) {
  const absl::Time deadline = absl::Now() + kPatience;
  absl::MutexLock lock(&state_->mutex);
  const auto has_more = [this]() ABSL_SHARED_LOCKS_REQUIRED(state_->mutex) {
    return state_->requests.size() > state_->returned;
  };
  while (state_->mutex.AwaitWithDeadline(absl::Condition(&has_more), deadline)) {
    const DiscoveryRequest& next = state_->requests[state_->returned++];
    if (wanted(next)) return next;
  }
  ADD_FAILURE() << "no such request; " << state_->requests.size() << " requests came in all";
  return {};
}

std::vector<DiscoveryRequest> ScriptedStream::Requests() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->requests;
}

void ScriptedStream::Send(std::string message) {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->unsent.push_back(std::move(message));
  }
  state_->Pump();
}

void ScriptedStream::Finish(const absl::Status& status) { state_->FinishWith(ToGrpc(status)); }

void ScriptedStream::StopReading() {
  absl::MutexLock lock(&state_->mutex);
  state_->is_reading = false;
}

void ScriptedStream::WaitUntilClosed() {
  absl::MutexLock lock(&state_->mutex);
  if (!state_->mutex.AwaitWithTimeout(absl::Condition(&state_->is_closed), kPatience)) {
    ADD_FAILURE() << "the client keeps the stream open";
  }
}

// Streams that clients opened and no test took yet, of all lives of the server.
class ScriptedAdsServer::NewStreams {
 public:
  void Add(std::shared_ptr<ScriptedStream> stream) {
    absl::MutexLock lock(&mutex_);
    streams_.push_back(std::move(stream));
  }

  // Null if none comes.
  std::shared_ptr<ScriptedStream> Take() {
    absl::MutexLock lock(&mutex_);
    const auto has_stream = [this]()
                                ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !streams_.empty(); };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&has_stream), kPatience)) return nullptr;
    std::shared_ptr<ScriptedStream> stream = std::move(streams_.front());
    streams_.pop_front();
    return stream;
  }

 private:
  absl::Mutex mutex_;
  std::deque<std::shared_ptr<ScriptedStream>> streams_ ABSL_GUARDED_BY(mutex_);
};

// One life of the server.
class ScriptedAdsServer::Life final : public grpc::CallbackGenericService {
 public:
  Life(const std::string& address, const Options& options, NewStreams& streams)
      : streams_(streams) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!options.certificate.empty()) {
      grpc::SslServerCredentialsOptions ssl;
      ssl.pem_key_cert_pairs.push_back({options.private_key, options.certificate});
      credentials = grpc::SslServerCredentials(ssl);
    }
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, credentials);
    // Two servers on one port would each get half of the connections.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    HOLDFAST_CHECK(server_ != nullptr);
  }

  ~Life() override {
    // A deadline in the past: nobody is waited for, calls are cancelled.
    server_->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME));
    server_->Wait();
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto* reactor = new Reactor(context->method());
    streams_.Add(std::make_shared<ScriptedStream>(reactor->state()));
    return reactor;
  }

 private:
  NewStreams& streams_;
  std::unique_ptr<grpc::Server> server_;
};

ScriptedAdsServer::ScriptedAdsServer(Options options)
    : options_(std::move(options)),
      port_(std::make_unique<ReservedPort>()),
      streams_(std::make_unique<NewStreams>()) {
  Restart();
}

ScriptedAdsServer::~ScriptedAdsServer() = default;

const std::string& ScriptedAdsServer::address() const { return port_->address(); }

std::shared_ptr<ScriptedStream> ScriptedAdsServer::NextStream() {
  std::shared_ptr<ScriptedStream> stream = streams_->Take();
  // A test cannot go on without one: it ends here, where the reason is known.
  if (stream == nullptr) {
    std::fprintf(stderr, "no client opened a stream to %s\n", address().c_str());
    std::abort();
  }
  return stream;
}

void ScriptedAdsServer::Kill() { life_ = nullptr; }

void ScriptedAdsServer::Restart() {
  HOLDFAST_CHECK(life_ == nullptr);
  life_ = std::make_unique<Life>(address(), options_, *streams_);
}

}  // namespace holdfast
