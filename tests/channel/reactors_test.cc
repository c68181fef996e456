// Reactors hear the same on every lane as on gRPC's own channel, in the ways that users drive them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/channel/lane_under_test.h"
#include "tests/channel/recording_reactors.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::ValuesIn;

class Reactors : public testing::TestWithParam<Lane> {
 protected:
  echo::Echo::Stub& stub() { return lane_.stub(); }

  EchoServer server_;
  LaneUnderTest lane_{GetParam(), server_.Connect()};
  grpc::ClientContext context_;
  const echo::EchoRequest first_ = RequestOf("first");
  const echo::EchoRequest last_ = RequestOf("last");
  echo::EchoReply reply_;
};

INSTANTIATE_TEST_SUITE_P(, Reactors, ValuesIn(kLanes),
                         [](const auto& given) { return NameOf(given.param); });

TEST_P(Reactors, OfAUnaryCallHearMetadataAndTheEnd) {
  UnaryRecorder reactor;
  stub().async()->Unary(&context_, &first_, &reply_, &reactor);
  reactor.StartCall();
  EXPECT_EQ(reactor.Wait(), (Heard{.metadata = {true}}));
  EXPECT_EQ(reply_.text(), "first");
}

// What it says of itself is there when the reaction runs, before the end.
TEST_P(Reactors, ReadInitialMetadataInTheReaction) {
  class Reactor final : public UnaryRecorder {
   public:
    explicit Reactor(const grpc::ClientContext& context) : context_(context) {}
    void OnReadInitialMetadataDone(bool ok) override {
      for (const auto& [name, value] : context_.GetServerInitialMetadata()) {
        if (name == kEchoInitial) HearText(std::string(value.data(), value.size()));
      }
      UnaryRecorder::OnReadInitialMetadataDone(ok);
    }

   private:
    const grpc::ClientContext& context_;
  } reactor(context_);
  context_.AddMetadata(kEchoInitial, "early");
  stub().async()->Unary(&context_, &first_, &reply_, &reactor);
  reactor.StartCall();
  EXPECT_EQ(reactor.Wait(), (Heard{.metadata = {true}, .texts = {"early"}}));
}

// Where the server sent nothing but a status there were none. On the deferred lane gRPC asks the
// placeholder for that, which does not know (deferred_call.h).
TEST_P(Reactors, HearThatThereIsNoMetadata) {
  UnaryRecorder reactor;
  echo::EchoRequest request = RequestOf("hi");
  request.set_code(grpc::StatusCode::NOT_FOUND);
  request.set_message("never heard");
  stub().async()->Unary(&context_, &request, &reply_, &reactor);
  reactor.StartCall();
  const Heard heard = reactor.Wait();
  EXPECT_THAT(heard.metadata, ElementsAre(IsDeferred(GetParam())));
  EXPECT_EQ(heard.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(heard.status.error_message(), "never heard");
}

TEST_P(Reactors, StartWhatWasAskedForBefore) {
  BidiRecorder bidi;
  stub().async()->Bidi(&context_, &bidi);
  bidi.ReadAll();
  bidi.StartWriteLast(&last_, grpc::WriteOptions());
  // From another thread, as of somebody who waits for something first.
  std::thread([&] { bidi.StartCall(); }).join();
  EXPECT_EQ(
      bidi.Wait(),
      (Heard{.metadata = {true}, .reads = {true, false}, .writes = {true}, .texts = {"last"}}));
}

TEST_P(Reactors, OfAServerStreamStartLaterThanTheyAreMade) {
  ReadRecorder reader;
  echo::EchoRequest request = RequestOf("hi");
  request.set_replies(2);
  stub().async()->ServerStream(&context_, &request, &reader);
  reader.ReadAll();
  std::thread([&] { reader.StartCall(); }).join();
  EXPECT_EQ(reader.Wait(),
            (Heard{.metadata = {true}, .reads = {true, true, false}, .texts = {"hi0", "hi1"}}));
}

TEST_P(Reactors, OfAClientStreamSayThatThereIsNothingToWrite) {
  WriteRecorder writer;
  stub().async()->ClientStream(&context_, &reply_, &writer);
  writer.StartWritesDone();
  writer.StartCall();
  EXPECT_EQ(writer.Wait(), (Heard{.metadata = {true}, .writes_done = {true}}));
  EXPECT_EQ(reply_.text(), "");
}

TEST_P(Reactors, OfAClientStreamWriteTheLastWithTheEnd) {
  WriteRecorder writer;
  stub().async()->ClientStream(&context_, &reply_, &writer);
  writer.StartWriteLast(&last_, grpc::WriteOptions());
  writer.StartCall();
  EXPECT_EQ(writer.Wait(), (Heard{.metadata = {true}, .writes = {true}}));
  EXPECT_EQ(reply_.text(), "last");
}

// Writes in one reaction, the end of them in the next.
TEST_P(Reactors, OfAStreamSayInAReactionThatAllIsWritten) {
  class Reactor final : public BidiRecorder {
   public:
    void OnWriteDone(bool ok) override {
      BidiRecorder::OnWriteDone(ok);
      StartWritesDone();
    }
  } bidi;
  stub().async()->Bidi(&context_, &bidi);
  bidi.StartWrite(&first_);
  bidi.ReadAll();
  bidi.StartCall();
  EXPECT_EQ(bidi.Wait(), (Heard{.metadata = {true},
                                .reads = {true, false},
                                .writes = {true},
                                .writes_done = {true},
                                .texts = {"first"}}));
}

TEST_P(Reactors, SendTheMetadataOfACorkedStreamWithItsFirstMessage) {
  context_.set_initial_metadata_corked(true);
  context_.AddMetadata(kEchoInitial, "corked");
  BidiRecorder bidi;
  stub().async()->Bidi(&context_, &bidi);
  bidi.AddHold();
  bidi.ReadAll();
  bidi.StartCall();
  bidi.StartWriteLast(&last_, grpc::WriteOptions());
  bidi.RemoveHold();
  EXPECT_EQ(
      bidi.Wait(),
      (Heard{.metadata = {true}, .reads = {true, false}, .writes = {true}, .texts = {"last"}}));
  EXPECT_EQ(server_.metadata().find(kEchoInitial)->second, "corked");
}

// A flow that writes and one that reads, each outside of the reactions.
TEST_P(Reactors, AreNotOverWhileSomebodyHoldsThem) {
  class Reactor final : public BidiRecorder {
   public:
    void OnReadDone(bool ok) override {
      BidiRecorder::OnReadDone(ok);
      if (!ok) all_is_read.set_value();
    }
    void OnWriteDone(bool ok) override {
      BidiRecorder::OnWriteDone(ok);
      written.set_value();
    }
    void OnDone(const grpc::Status& status) override {
      EXPECT_TRUE(is_let_go);
      BidiRecorder::OnDone(status);
    }
    std::promise<void> written;
    std::promise<void> all_is_read;
    std::atomic<bool> is_let_go = false;
  } bidi;
  stub().async()->Bidi(&context_, &bidi);
  bidi.AddMultipleHolds(2);
  bidi.StartCall();
  bidi.ReadAll();
  bidi.StartWrite(&first_);
  bidi.written.get_future().wait();
  bidi.StartWritesDone();
  bidi.RemoveHold();
  // The call is over as far as the server is concerned.
  bidi.all_is_read.get_future().wait();
  bidi.is_let_go = true;
  bidi.RemoveHold();
  EXPECT_EQ(bidi.Wait(), (Heard{.metadata = {true},
                                .reads = {true, false},
                                .writes = {true},
                                .writes_done = {true},
                                .texts = {"first"}}));
}

TEST_P(Reactors, CancelTheirCallInAReaction) {
  class Reactor final : public BidiRecorder {
   public:
    explicit Reactor(grpc::ClientContext& context) : context_(context) {}
    void OnReadDone(bool ok) override {
      context_.TryCancel();
      BidiRecorder::OnReadDone(ok);
    }

   private:
    grpc::ClientContext& context_;
  } bidi(context_);
  stub().async()->Bidi(&context_, &bidi);
  bidi.StartWrite(&first_);
  bidi.ReadAll();
  bidi.StartCall();
  const Heard heard = bidi.Wait();
  EXPECT_EQ(heard, (Heard{.metadata = {true},
                          .reads = {true, false},
                          .writes = {true},
                          .texts = {"first"},
                          .status = grpc::Status::CANCELLED}));
  EXPECT_EQ(heard.status.error_message(), "CANCELLED");
}

// Cancelled before it starts, it has to be started all the same, and hears that nothing came of it.
// On the deferred lane gRPC tells us of it in its own time, and the server may have answered by
// then (deferred_call.h).
TEST_P(Reactors, AreCancelledBeforeTheyStart) {
  BidiRecorder bidi;
  stub().async()->Bidi(&context_, &bidi);
  bidi.StartWrite(&first_);
  bidi.ReadAll();
  context_.TryCancel();
  bidi.StartCall();
  const Heard heard = bidi.Wait();
  EXPECT_EQ(heard.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_FALSE(heard.reads.back());
  if (IsDeferred(GetParam())) return;
  EXPECT_EQ(heard, (Heard{.metadata = {false},
                          .reads = {false},
                          .writes = {false},
                          .status = grpc::Status::CANCELLED}));
}

TEST_P(Reactors, MayEndThemselvesWithTheirContext) {
  EXPECT_EQ(SelfMade::Begin(stub()).get(), "mine");
}

// Each call begins the next in its last reaction.
TEST_P(Reactors, BeginAnotherCallWhenOneIsOver) {
  class Again final : public grpc::ClientUnaryReactor {
   public:
    Again(echo::Echo::Stub& stub, int calls) : stub_(stub), left_(calls) { Begin(); }
    void OnDone(const grpc::Status& status) override {
      EXPECT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(reply_.text(), "again");
      if (--left_ > 0) return Begin();
      over_.set_value();
    }
    void Wait() { over_.get_future().wait(); }

   private:
    void Begin() {
      context_ = std::make_unique<grpc::ClientContext>();
      stub_.async()->Unary(context_.get(), &request_, &reply_, this);
      StartCall();
    }
    echo::Echo::Stub& stub_;
    int left_;
    std::unique_ptr<grpc::ClientContext> context_;
    const echo::EchoRequest request_ = RequestOf("again");
    echo::EchoReply reply_;
    std::promise<void> over_;
  };
  Again(stub(), 20).Wait();
}

}  // namespace
}  // namespace holdfast
