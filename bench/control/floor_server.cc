#include "bench/control/floor_server.h"

#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "bench/control/line_protocol.h"
#include "bench/control/load_client.h"
#include "control/catalog/resource.h"
#include "wire/ads.h"
#include "wire/envelope.h"
#include "wire/wire_writer.h"

namespace holdfast {
namespace {

constexpr int kAwaitedStreams = 16;

// The bytes of all responses, made before anything is measured and never changed while streams use
// them.
struct FixedBytes {
  // By variant: SotW, delta.
  grpc::Slice head[2];
  grpc::Slice all[2];
  grpc::Slice one[2];
  grpc::Slice error[2];
  std::set<std::string> names;
};

std::unique_ptr<FixedBytes> MakeBytes(ServedKind kind, int count, size_t size) {
  auto bytes = std::make_unique<FixedBytes>();
  const std::string type_url = TypeUrlOf(kind);
  std::string all[2];
  for (int number = 0; number < count; ++number) {
    const Resource resource(std::string(WithoutTypeUrlPrefix(type_url)), ServedName(number),
                            ServedBody(kind, number, 1, size), std::nullopt, {});
    absl::StrAppend(&all[0], resource.sotw_field());
    absl::StrAppend(&all[1], resource.delta_field());
    if (number == 0) {
      bytes->one[0] = grpc::Slice(all[0]);
      bytes->one[1] = grpc::Slice(all[1]);
    }
    bytes->names.insert(resource.name());
  }
  std::string head;
  AppendField(head, 1, ContentHash().Hex());
  AppendField(head, 4, type_url);
  AppendField(head, 5, "1");
  // As long as the errors that we send.
  std::string error;
  AppendField(error, 1, std::string(40, 'n'));
  AppendField(error, 2, std::string(100, 'e'));
  for (const int variant : {0, 1}) {
    bytes->head[variant] = grpc::Slice(head);
    bytes->all[variant] = grpc::Slice(all[variant]);
    std::string field;
    AppendField(field, variant == 0 ? 7 : 9, error);
    bytes->error[variant] = grpc::Slice(field);
  }
  return bytes;
}

class FloorWorker;

// Lives until its call is over, on one worker.
class FloorStream {
 public:
  explicit FloorStream(FloorWorker& worker) : worker_(worker), stream_(&context_) {}

  void Await();
  void SendAll();
  void SendOne();

  // The tag of an operation.
  struct Op {
    FloorStream* stream;
    void (FloorStream::*done)(bool ok);
  };

 private:
  void OnOpened(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);
  void Read() { stream_.Read(&incoming_, &read_); }
  void Answer();
  void Send(const grpc::Slice& body);
  void FinishIfIdle();

  FloorWorker& worker_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer incoming_;
  int variant_ = 0;
  std::string asked_;  // the first name; empty: everything, or nothing yet
  bool is_writing_ = false;
  bool is_deserted_ = false;
  std::vector<grpc::Slice> waiting_;
  Op open_{this, &FloorStream::OnOpened};
  Op read_{this, &FloorStream::OnRead};
  Op write_{this, &FloorStream::OnWritten};
  Op finish_{this, &FloorStream::OnFinished};
};

// What a commit changes: all resources, or the one of this number.
using Change = std::optional<int>;

class FloorWorker {
 public:
  FloorWorker(grpc::AsyncGenericService& service,
              std::unique_ptr<grpc::ServerCompletionQueue> queue)
      : service_(service), queue_(std::move(queue)) {}

  void Start() {
    for (int i = 0; i < kAwaitedStreams; ++i) AwaitStream();
    thread_ = std::thread([this] { Run(); });
  }
  // Sends on the thread of this worker.
  void Commit(Change change) {
    const absl::MutexLock lock(&mutex_);
    commits_.push_back(change);
    if (commits_.size() == 1) wake_.Set(queue_.get(), gpr_inf_past(GPR_CLOCK_MONOTONIC), nullptr);
  }
  // REQUIRES: there are no streams yet.
  void SetBytes(std::shared_ptr<const FixedBytes> bytes) {
    const absl::MutexLock lock(&mutex_);
    bytes_ = std::move(bytes);
  }

  // The rest: on the thread of this worker.
  void AwaitStream() { (new FloorStream(*this))->Await(); }
  void Follow(const std::string& name, FloorStream* stream) { followers_[name].insert(stream); }
  void Unfollow(const std::string& name, FloorStream* stream) { followers_[name].erase(stream); }
  std::shared_ptr<const FixedBytes> bytes() {
    const absl::MutexLock lock(&mutex_);
    return bytes_;
  }
  grpc::AsyncGenericService& service() { return service_; }
  grpc::ServerCompletionQueue* queue() { return queue_.get(); }

 private:
  void Run() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_->Next(&tag, &ok)) {
      if (tag == nullptr) {
        SendCommits();
      } else {
        const auto* const op = static_cast<const FloorStream::Op*>(tag);
        (op->stream->*op->done)(ok);
      }
    }
  }
  void SendCommits() {
    std::vector<Change> commits;
    {
      const absl::MutexLock lock(&mutex_);
      commits.swap(commits_);
    }
    for (const Change& change : commits) {
      if (change.has_value()) {
        for (FloorStream* const stream : followers_[ServedName(*change)]) stream->SendOne();
      } else {
        for (FloorStream* const stream : followers_[""]) stream->SendAll();
      }
    }
  }

  grpc::AsyncGenericService& service_;
  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  grpc::Alarm wake_;
  // By the name they asked for.
  std::map<std::string, std::set<FloorStream*>> followers_;
  absl::Mutex mutex_;
  std::vector<Change> commits_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const FixedBytes> bytes_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

void FloorStream::Await() {
  worker_.service().RequestCall(&context_, &stream_, worker_.queue(), worker_.queue(), &open_);
}

void FloorStream::OnOpened(bool ok) {
  if (!ok) {
    delete this;
    return;
  }
  worker_.AwaitStream();
  variant_ = absl::StrContains(context_.method(), "Delta") ? 1 : 0;
  Read();
}

void FloorStream::OnRead(bool ok) {
  if (!ok) {
    is_deserted_ = true;
    worker_.Unfollow(asked_, this);
    FinishIfIdle();
    return;
  }
  Answer();
  Read();
}

// What asks is answered; what only answers a response is not.
void FloorStream::Answer() {
  grpc::Slice slice;
  HOLDFAST_CHECK(incoming_.DumpToSingleSlice(&slice).ok());
  const absl::string_view message(reinterpret_cast<const char*>(slice.begin()), slice.size());
  if (!absl::StrContains(message, kAskingNode)) return;
  std::vector<std::string> names;
  if (variant_ == 0) {
    const auto request = ParseRequest(message);
    HOLDFAST_CHECK(request.ok());
    names.assign(request->resource_names.begin(), request->resource_names.end());
  } else {
    const auto request = ParseDeltaRequest(message);
    HOLDFAST_CHECK(request.ok());
    names = request->subscribe;
  }
  worker_.Unfollow(asked_, this);
  asked_ = names.empty() ? "" : names.front();
  worker_.Follow(asked_, this);
  const auto bytes = worker_.bytes();
  if (asked_.empty() || names.size() > 1) {
    SendAll();
  } else if (bytes->names.contains(asked_)) {
    SendOne();
  } else {
    Send(bytes->error[variant_]);
  }
}

void FloorStream::SendAll() { Send(worker_.bytes()->all[variant_]); }
void FloorStream::SendOne() { Send(worker_.bytes()->one[variant_]); }

void FloorStream::Send(const grpc::Slice& body) {
  // A client may have read a response before the end of its write is known here.
  if (is_writing_) {
    waiting_.push_back(body);
    return;
  }
  is_writing_ = true;
  const grpc::Slice slices[] = {worker_.bytes()->head[variant_], body};
  stream_.Write(grpc::ByteBuffer(slices, 2), &write_);
}

void FloorStream::OnWritten(bool) {
  is_writing_ = false;
  if (is_deserted_) {
    FinishIfIdle();
  } else if (!waiting_.empty()) {
    const grpc::Slice body = waiting_.front();
    waiting_.erase(waiting_.begin());
    Send(body);
  }
}

void FloorStream::FinishIfIdle() {
  if (!is_writing_) stream_.Finish(grpc::Status::OK, &finish_);
}

void FloorStream::OnFinished(bool) { delete this; }

class FloorServer final : public DrivenServer {
 public:
  explicit FloorServer(std::vector<std::unique_ptr<FloorWorker>>& workers) : workers_(workers) {}

  void Load(ServedKind kind, int count, size_t size) override {
    const std::shared_ptr<const FixedBytes> bytes = MakeBytes(kind, count, size);
    for (const auto& worker : workers_) worker->SetBytes(bytes);
  }
  void Prepare(std::optional<int> number, int) override { change_ = number; }
  void Commit() override {
    for (const auto& worker : workers_) worker->Commit(change_);
  }

 private:
  std::vector<std::unique_ptr<FloorWorker>>& workers_;
  Change change_;
};

}  // namespace

void RunFloorServer() {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service);
  builder.SetMaxReceiveMessageSize(-1);
  std::vector<std::unique_ptr<FloorWorker>> workers;
  for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i) {
    workers.push_back(std::make_unique<FloorWorker>(service, builder.AddCompletionQueue()));
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  for (const auto& worker : workers) worker->Start();
  FloorServer driven(workers);
  ServeLines(port, driven);
  // Nobody is interested in how its streams end.
  std::_Exit(0);
}

}  // namespace holdfast
