// Reactors that remember what they hear, one of each kind. A test starts what it wants, from
// wherever it wants.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <future>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/channel/echo_server.h"

namespace holdfast {

// The `ok` of each reaction, in the order they came; reactions of different kinds have no order.
struct Heard {
  std::vector<bool> metadata;
  std::vector<bool> reads;
  std::vector<bool> writes;
  std::vector<bool> writes_done;
  std::vector<std::string> texts;  // of the replies
  grpc::Status status;

  friend bool operator==(const Heard& a, const Heard& b) {
    return a.metadata == b.metadata && a.reads == b.reads && a.writes == b.writes &&
           a.writes_done == b.writes_done && a.texts == b.texts &&
           a.status.error_code() == b.status.error_code();
  }
  friend void PrintTo(const Heard& heard, std::ostream* out) {
    const auto text = [](const std::vector<bool>& oks) { return absl::StrJoin(oks, ","); };
    *out << "metadata " << text(heard.metadata) << "; reads " << text(heard.reads) << "; writes "
         << text(heard.writes) << "; writes done " << text(heard.writes_done) << "; texts "
         << absl::StrJoin(heard.texts, ",") << "; code " << heard.status.error_code() << " "
         << heard.status.error_message();
  }
};

// What all kinds have. Reactions may run at the same time, but for the last.
template <class Base>
class RecordingReactor : public Base {
 public:
  // When it is over.
  Heard Wait() { return over_.get_future().get(); }

  void OnReadInitialMetadataDone(bool ok) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard_.metadata.push_back(ok);
  }
  void OnDone(const grpc::Status& status) override {
    heard_.status = status;
    over_.set_value(std::move(heard_));
  }

 protected:
  void Hear(std::vector<bool> Heard::*kind, bool ok) {
    const std::lock_guard<std::mutex> lock(mutex_);
    (heard_.*kind).push_back(ok);
  }
  void HearText(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    heard_.texts.push_back(text);
  }

 private:
  std::mutex mutex_;
  Heard heard_;
  std::promise<Heard> over_;
};

class UnaryRecorder : public RecordingReactor<grpc::ClientUnaryReactor> {};

// Reads until there is nothing more.
class ReadRecorder : public RecordingReactor<grpc::ClientReadReactor<echo::EchoReply>> {
 public:
  void ReadAll() { StartRead(&reply_); }
  void OnReadDone(bool ok) override {
    Hear(&Heard::reads, ok);
    if (!ok) return;
    HearText(reply_.text());
    StartRead(&reply_);
  }

 private:
  echo::EchoReply reply_;
};

// Writes what the test starts.
class WriteRecorder : public RecordingReactor<grpc::ClientWriteReactor<echo::EchoRequest>> {
 public:
  void OnWriteDone(bool ok) override { Hear(&Heard::writes, ok); }
  void OnWritesDoneDone(bool ok) override { Hear(&Heard::writes_done, ok); }
};

class BidiRecorder
    : public RecordingReactor<grpc::ClientBidiReactor<echo::EchoRequest, echo::EchoReply>> {
 public:
  void ReadAll() { StartRead(&reply_); }
  void OnReadDone(bool ok) override {
    Hear(&Heard::reads, ok);
    if (!ok) return;
    HearText(reply_.text());
    StartRead(&reply_);
  }
  void OnWriteDone(bool ok) override { Hear(&Heard::writes, ok); }
  void OnWritesDoneDone(bool ok) override { Hear(&Heard::writes_done, ok); }

 private:
  echo::EchoReply reply_;
};

// As many are written: whatever a call needs is in its reactor, which ends itself.
class SelfMade final : public grpc::ClientBidiReactor<echo::EchoRequest, echo::EchoReply> {
 public:
  static std::future<std::string> Begin(echo::Echo::Stub& stub) {
    auto* const call = new SelfMade;
    std::future<std::string> end = call->end_.get_future();
    stub.async()->Bidi(&call->context_, call);
    call->request_.set_text("mine");
    call->StartWriteLast(&call->request_, grpc::WriteOptions());
    call->StartRead(&call->reply_);
    call->StartCall();
    return end;
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    text_ += reply_.text();
    StartRead(&reply_);
  }
  void OnDone(const grpc::Status& status) override {
    std::promise<std::string> end = std::move(end_);
    const std::string text = status.ok() ? text_ : status.error_message();
    delete this;
    end.set_value(text);
  }

 private:
  grpc::ClientContext context_;
  echo::EchoRequest request_;
  echo::EchoReply reply_;
  std::string text_;
  std::promise<std::string> end_;
};

}  // namespace holdfast
