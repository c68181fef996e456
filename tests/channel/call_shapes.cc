#include "tests/channel/call_shapes.h"

#include <grpcpp/completion_queue.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

using ::acme::test::v1::Echo;
using ::acme::test::v1::EchoReply;
using ::acme::test::v1::EchoRequest;

EchoRequest Numbered(EchoRequest request, int number) {
  request.set_text(absl::StrCat(request.text(), number));
  return request;
}

void Take(Outcome& outcome, const EchoReply& reply) {
  outcome.texts.push_back(reply.text());
  outcome.last_reply = reply;
}

// A reply that came with an error is none.
Outcome OfOneReply(const grpc::Status& status, const EchoReply& reply) {
  Outcome outcome{.status = status};
  if (status.ok()) Take(outcome, reply);
  return outcome;
}

Outcome SyncUnary(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  EchoReply reply;
  const grpc::Status status = stub.Unary(&context, request, &reply);
  return OfOneReply(status, reply);
}

Outcome SyncClientStream(Echo::Stub& stub, grpc::ClientContext& context,
                         const EchoRequest& request) {
  EchoReply reply;
  const auto writer = stub.ClientStream(&context, &reply);
  for (int i = 0; i < kMessages && writer->Write(Numbered(request, i)); ++i) {
  }
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  return OfOneReply(status, reply);
}

Outcome SyncServerStream(Echo::Stub& stub, grpc::ClientContext& context,
                         const EchoRequest& request) {
  Outcome outcome;
  EchoReply reply;
  const auto reader = stub.ServerStream(&context, request);
  while (reader->Read(&reply)) Take(outcome, reply);
  outcome.status = reader->Finish();
  return outcome;
}

Outcome SyncBidi(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  Outcome outcome;
  EchoReply reply;
  const auto stream = stub.Bidi(&context);
  for (int i = 0; i < kMessages && stream->Write(Numbered(request, i)) && stream->Read(&reply);
       ++i) {
    Take(outcome, reply);
  }
  stream->WritesDone();
  while (stream->Read(&reply)) Take(outcome, reply);
  outcome.status = stream->Finish();
  return outcome;
}

// A queue with one operation at a time.
class OneByOne {
 public:
  ~OneByOne() {
    if (!is_shut_down_) queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    EXPECT_FALSE(queue_.Next(&tag, &ok)) << "a tag more than there were operations";
  }
  grpc::CompletionQueue* queue() { return &queue_; }
  void* tag() { return this; }
  // Whether the operation was done.
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue_.Next(&tag, &ok));
    EXPECT_EQ(tag, this);
    return ok;
  }
  // What is pending comes all the same.
  void ShutDown() {
    is_shut_down_ = true;
    queue_.Shutdown();
  }

 private:
  grpc::CompletionQueue queue_;
  bool is_shut_down_ = false;
};

Outcome QueueUnary(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  OneByOne ops;
  EchoReply reply;
  grpc::Status status;
  const auto call = stub.AsyncUnary(&context, request, ops.queue());
  call->Finish(&reply, &status, ops.tag());
  ops.ShutDown();
  EXPECT_TRUE(ops.Next());
  return OfOneReply(status, reply);
}

Outcome QueueClientStream(Echo::Stub& stub, grpc::ClientContext& context,
                          const EchoRequest& request) {
  OneByOne ops;
  EchoReply reply;
  grpc::Status status;
  const auto writer = stub.AsyncClientStream(&context, &reply, ops.queue(), ops.tag());
  bool ok = ops.Next();
  for (int i = 0; i < kMessages && ok; ++i) {
    writer->Write(Numbered(request, i), ops.tag());
    ok = ops.Next();
  }
  if (ok) {
    writer->WritesDone(ops.tag());
    ops.Next();
  }
  writer->Finish(&status, ops.tag());
  ops.ShutDown();
  EXPECT_TRUE(ops.Next());
  return OfOneReply(status, reply);
}

Outcome QueueServerStream(Echo::Stub& stub, grpc::ClientContext& context,
                          const EchoRequest& request) {
  OneByOne ops;
  Outcome outcome;
  EchoReply reply;
  const auto reader = stub.PrepareAsyncServerStream(&context, request, ops.queue());
  reader->StartCall(ops.tag());
  for (bool ok = ops.Next(); ok;) {
    reader->Read(&reply, ops.tag());
    ok = ops.Next();
    if (ok) Take(outcome, reply);
  }
  reader->Finish(&outcome.status, ops.tag());
  EXPECT_TRUE(ops.Next());
  return outcome;
}

Outcome QueueBidi(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  OneByOne ops;
  Outcome outcome;
  EchoReply reply;
  const auto stream = stub.AsyncBidi(&context, ops.queue(), ops.tag());
  bool ok = ops.Next();
  for (int i = 0; i < kMessages && ok; ++i) {
    // Both at once: either may come first.
    stream->Write(Numbered(request, i), ops.tag());
    stream->Read(&reply, ops.tag());
    const bool first = ops.Next();
    const bool second = ops.Next();
    ok = first && second;
    if (ok) Take(outcome, reply);
  }
  if (ok) {
    stream->WritesDone(ops.tag());
    ops.Next();
  }
  stream->Finish(&outcome.status, ops.tag());
  ops.ShutDown();
  EXPECT_TRUE(ops.Next());
  return outcome;
}

// What every reactor has: the end.
template <class Base>
class Ending : public Base {
 public:
  grpc::Status Wait() { return end_.get_future().get(); }
  void OnDone(const grpc::Status& status) override { end_.set_value(status); }

 private:
  std::promise<grpc::Status> end_;
};

Outcome CallbackUnary(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  EchoReply reply;
  std::promise<grpc::Status> end;
  stub.async()->Unary(&context, &request, &reply,
                      [&end](const grpc::Status& status) { end.set_value(status); });
  const grpc::Status status = end.get_future().get();
  return OfOneReply(status, reply);
}

class Writing final : public Ending<grpc::ClientWriteReactor<EchoRequest>> {
 public:
  explicit Writing(const EchoRequest& request) : request_(request) {}
  void Begin() {
    Write();
    StartCall();
  }
  void OnWriteDone(bool ok) override {
    if (ok && ++written_ < kMessages) Write();
  }

 private:
  void Write() {
    message_ = Numbered(request_, written_);
    if (written_ + 1 < kMessages) {
      StartWrite(&message_);
    } else {
      StartWriteLast(&message_, grpc::WriteOptions());
    }
  }
  const EchoRequest request_;
  EchoRequest message_;
  int written_ = 0;
};

Outcome CallbackClientStream(Echo::Stub& stub, grpc::ClientContext& context,
                             const EchoRequest& request) {
  EchoReply reply;
  Writing reactor(request);
  stub.async()->ClientStream(&context, &reply, &reactor);
  reactor.Begin();
  const grpc::Status status = reactor.Wait();
  return OfOneReply(status, reply);
}

class Reading final : public Ending<grpc::ClientReadReactor<EchoReply>> {
 public:
  void Begin() {
    StartRead(&reply_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    Take(outcome, reply_);
    StartRead(&reply_);
  }
  Outcome outcome;

 private:
  EchoReply reply_;
};

Outcome CallbackServerStream(Echo::Stub& stub, grpc::ClientContext& context,
                             const EchoRequest& request) {
  Reading reactor;
  stub.async()->ServerStream(&context, &request, &reactor);
  reactor.Begin();
  reactor.outcome.status = reactor.Wait();
  return reactor.outcome;
}

// Ping-pong. The first read is pending from the beginning.
class PingPong final : public Ending<grpc::ClientBidiReactor<EchoRequest, EchoReply>> {
 public:
  explicit PingPong(const EchoRequest& request) : request_(request) {}
  void Begin() {
    Round();
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    Take(outcome, reply_);
    HalfDone();
  }
  void OnWriteDone(bool ok) override {
    if (ok) HalfDone();
  }
  Outcome outcome;

 private:
  // Both may be done at the same time, in any order.
  void HalfDone() {
    if (halves_.fetch_add(1) % 2 == 1) Round();
  }
  void Round() {
    if (round_ == kMessages) return StartWritesDone();
    message_ = Numbered(request_, round_++);
    StartRead(&reply_);
    StartWrite(&message_);
  }
  const EchoRequest request_;
  EchoRequest message_;
  EchoReply reply_;
  int round_ = 0;
  std::atomic<int> halves_ = 0;
};

Outcome CallbackBidi(Echo::Stub& stub, grpc::ClientContext& context, const EchoRequest& request) {
  PingPong reactor(request);
  stub.async()->Bidi(&context, &reactor);
  reactor.Begin();
  reactor.outcome.status = reactor.Wait();
  return reactor.outcome;
}

using Maker = Outcome (*)(Echo::Stub&, grpc::ClientContext&, const EchoRequest&);
constexpr Maker kMakers[3][4] = {
    {SyncUnary, SyncClientStream, SyncServerStream, SyncBidi},
    {QueueUnary, QueueClientStream, QueueServerStream, QueueBidi},
    {CallbackUnary, CallbackClientStream, CallbackServerStream, CallbackBidi},
};

}  // namespace

std::string NameOf(Shape shape) {
  static constexpr const char* kApiNames[] = {"Sync", "Queue", "Callback"};
  static constexpr const char* kKindNames[] = {"Unary", "ClientStream", "ServerStream", "Bidi"};
  return absl::StrCat(kApiNames[static_cast<int>(shape.api)],
                      kKindNames[static_cast<int>(shape.kind)]);
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes;
  for (const Api api : kApis) {
    for (const Kind kind : kKinds) shapes.push_back({api, kind});
  }
  return shapes;
}

Outcome MakeCall(Shape shape, Echo::Stub& stub, grpc::ClientContext& context,
                 const EchoRequest& request) {
  EchoRequest with_replies = request;
  with_replies.set_replies(kMessages);
  return kMakers[static_cast<int>(shape.api)][static_cast<int>(shape.kind)](stub, context,
                                                                            with_replies);
}

std::vector<std::string> ExpectedTexts(Kind kind, const std::string& text) {
  std::vector<std::string> numbered;
  std::string joined;
  for (int i = 0; i < kMessages; ++i) {
    numbered.push_back(absl::StrCat(text, i));
    joined += numbered.back();
  }
  if (kind == Kind::kUnary) return {text};
  if (kind == Kind::kClientStream) return {joined};
  return numbered;
}

}  // namespace holdfast
