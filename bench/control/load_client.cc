#include "bench/control/load_client.h"

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "bench/control/bench_failure.h"
#include "wire/ads.h"
#include "wire/piece_reader.h"
#include "xds/discovery.h"

namespace holdfast {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(120);

// The same numbers in both variants.
constexpr uint32_t kVersionField = 1;
constexpr uint32_t kNonceField = 5;

struct ResponseHead {
  std::string version;
  std::string nonce;
};

ResponseHead HeadOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  if (!message.Dump(&slices).ok()) FailBench("a response cannot be read");
  std::vector<absl::string_view> pieces;
  pieces.reserve(slices.size());
  for (const grpc::Slice& slice : slices) {
    pieces.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  std::deque<std::string> joined;
  PieceReader reader(pieces, joined);
  ResponseHead head;
  WireField field;
  while (reader.Next(field)) {
    if (field.Is(kVersionField)) head.version = std::string(field.bytes);
    if (field.Is(kNonceField)) head.nonce = std::string(field.bytes);
  }
  if (reader.is_broken()) FailBench("a response is no message");
  return head;
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

// What the streams of a client share.
struct Tally {
  LoadOptions options;
  std::atomic<bool> is_rejecting = false;
  bool is_ending = false;

  mutable absl::Mutex mutex;
  int64_t responses ABSL_GUARDED_BY(mutex) = 0;
  int64_t answered ABSL_GUARDED_BY(mutex) = 0;
  int64_t bytes ABSL_GUARDED_BY(mutex) = 0;
  absl::Time newest ABSL_GUARDED_BY(mutex);
};

class LoadStream {
 public:
  LoadStream(grpc::GenericStub& stub, grpc::CompletionQueue* queue, std::vector<std::string> names,
             std::string node, Tally& tally)
      : tally_(tally), names_(std::move(names)), node_(std::move(node)) {
    call_ = stub.PrepareCall(&context_, MethodOf(tally.options.variant), queue);
    call_->StartCall(&start_);
  }

  void Cancel() { context_.TryCancel(); }

  // The tag of an operation.
  struct Op {
    LoadStream* stream;
    void (LoadStream::*done)(bool ok);
  };

 private:
  void OnStarted(bool ok) {
    if (!IsAlive(ok)) return;
    to_write_.push_back(AskFor(tally_.options.variant, tally_.options.type_url, names_, node_));
    WriteNext();
    call_->Read(&incoming_, &read_);
  }

  void OnRead(bool ok) {
    if (!IsAlive(ok)) return;
    const absl::Time received_at = absl::Now();
    const grpc::ByteBuffer message = std::exchange(incoming_, grpc::ByteBuffer());
    to_write_.push_back(AnswerTo(HeadOf(message)));
    {
      const absl::MutexLock lock(&tally_.mutex);
      ++tally_.responses;
      tally_.newest = received_at;
      tally_.bytes += static_cast<int64_t>(message.Length());
    }
    if (!is_writing_) WriteNext();
    call_->Read(&incoming_, &read_);
  }

  void OnWritten(bool ok) {
    if (!IsAlive(ok)) return;
    is_writing_ = false;
    if (std::exchange(has_asked_, true)) {
      const absl::MutexLock lock(&tally_.mutex);
      ++tally_.answered;
    }
    if (!to_write_.empty()) WriteNext();
  }

  void WriteNext() {
    is_writing_ = true;
    call_->Write(to_write_.front(), &write_);
    to_write_.pop_front();
  }

  bool IsAlive(bool ok) const {
    if (tally_.is_ending) return false;
    if (!ok) FailBench("a server ended a stream");
    return true;
  }

  grpc::ByteBuffer AnswerTo(const ResponseHead& head) {
    std::optional<WireStatus> error;
    if (tally_.is_rejecting) error = WireStatus{.code = 3, .message = "rejected by the bench"};
    if (tally_.options.variant == Variant::kDelta) {
      DeltaDiscoveryRequest request;
      request.type_url = tally_.options.type_url;
      request.response_nonce = head.nonce;
      request.error_detail = error;
      return BufferOf(Encode(request));
    }
    if (!error.has_value()) accepted_version_ = head.version;
    DiscoveryRequest request;
    request.type_url = tally_.options.type_url;
    request.version_info = accepted_version_;
    request.response_nonce = head.nonce;
    request.error_detail = error;
    request.resource_names = names_;
    return BufferOf(Encode(request));
  }

  Tally& tally_;
  const std::vector<std::string> names_;
  const std::string node_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer incoming_;
  std::deque<grpc::ByteBuffer> to_write_;
  std::string accepted_version_;
  bool is_writing_ = false;
  bool has_asked_ = false;
  Op start_{this, &LoadStream::OnStarted};
  Op read_{this, &LoadStream::OnRead};
  Op write_{this, &LoadStream::OnWritten};
};

}  // namespace

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

const char* MethodOf(Variant variant) {
  return variant == Variant::kSotw
             ? "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
             : "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
}

grpc::ByteBuffer AskFor(Variant variant, const std::string& type_url,
                        const std::vector<std::string>& names, const std::string& node) {
  if (variant == Variant::kDelta) {
    DeltaDiscoveryRequest request;
    request.node.emplace().id = node;
    request.type_url = type_url;
    request.subscribe = names;
    return BufferOf(Encode(request));
  }
  DiscoveryRequest request;
  request.node.emplace().id = node;
  request.type_url = type_url;
  request.resource_names = names;
  return BufferOf(Encode(request));
}

std::string NodeOfStream(int stream) { return absl::StrCat(kAskingNode, "-", stream); }

class LoadClient::State {
 public:
  explicit State(LoadOptions options) {
    tally_.options = std::move(options);
    const int per_connection = tally_.options.streams_per_connection;
    for (int number = 0; number < tally_.options.streams; ++number) {
      if (number % per_connection == 0) stubs_.emplace_back(ConnectTo(tally_.options.address));
      const auto& names_of = tally_.options.names_of;
      streams_.emplace_back(
          stubs_.back(), &queue_, names_of ? names_of(number) : std::vector<std::string>(),
          tally_.options.has_own_nodes ? NodeOfStream(number) : kAskingNode, tally_);
    }
    thread_ = std::thread([this] { Run(); });
  }

  ~State() {
    // On its thread: no operation may be started on a queue that was shut down.
    end_.Set(&queue_, gpr_inf_past(GPR_CLOCK_MONOTONIC), nullptr);
    thread_.join();
  }

  Tally& tally() { return tally_; }

 private:
  void Run() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      if (tag == nullptr) {
        tally_.is_ending = true;
        for (LoadStream& stream : streams_) stream.Cancel();
        queue_.Shutdown();
        continue;
      }
      const auto* const op = static_cast<const LoadStream::Op*>(tag);
      (op->stream->*op->done)(ok);
    }
  }

  Tally tally_;
  grpc::CompletionQueue queue_;
  std::deque<grpc::GenericStub> stubs_;
  std::deque<LoadStream> streams_;
  grpc::Alarm end_;
  std::thread thread_;
};

LoadClient::LoadClient(LoadOptions options) : state_(std::make_unique<State>(std::move(options))) {}
LoadClient::~LoadClient() = default;

void LoadClient::AwaitResponses(int64_t count) const {
  const Tally& tally = state_->tally();
  const auto is_there = [&tally, count] {
    tally.mutex.AssertHeld();
    return tally.responses >= count && tally.answered >= count;
  };
  const absl::MutexLock lock(&tally.mutex);
  if (!tally.mutex.AwaitWithTimeout(absl::Condition(&is_there), kPatience)) {
    FailBench(absl::StrCat("a server sent ", tally.responses, " responses instead of ", count,
                           " in ", absl::FormatDuration(kPatience)));
  }
}

int64_t LoadClient::responses() const {
  const absl::MutexLock lock(&state_->tally().mutex);
  return state_->tally().responses;
}

int64_t LoadClient::bytes() const {
  const absl::MutexLock lock(&state_->tally().mutex);
  return state_->tally().bytes;
}

absl::Time LoadClient::newest() const {
  const absl::MutexLock lock(&state_->tally().mutex);
  return state_->tally().newest;
}

void LoadClient::Reject() { state_->tally().is_rejecting = true; }

}  // namespace holdfast
