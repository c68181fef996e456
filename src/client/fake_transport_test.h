// A server that lives in the test: it answers on the loop thread, without gRPC, so that the thread
// sanitizer sees everything.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/check.h"
#include "runtime/ads_transport.h"
#include "runtime/control_loop.h"
#include "wire/ads.h"
#include "xds/discovery.h"

namespace holdfast {

// What the test and its transports share; it outlives them.
class FakeServer {
 public:
  // Called on the loop thread with each request; what it returns is sent, in order.
  using Answer = std::function<std::vector<std::string>(const DiscoveryRequest&)>;

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {}

  std::vector<std::string> AnswerTo(const DiscoveryRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    return answer_(request);
  }
  std::vector<DiscoveryRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  void CountOpened() {
    const std::lock_guard lock(mutex_);
    ++opened_;
  }
  int opened() const {
    const std::lock_guard lock(mutex_);
    return opened_;
  }

 private:
  mutable std::mutex mutex_;
  Answer answer_;
  std::vector<DiscoveryRequest> requests_;
  int opened_ = 0;
};

class FakeTransport final : public AdsTransport {
 public:
  FakeTransport(ControlLoop& loop, Listener& listener, FakeServer& server)
      : loop_(loop), listener_(listener), server_(server) {}

  void Open(StreamId stream) override {
    HOLDFAST_CHECK(loop_.IsLoopThread() && !stream_.is_set());
    stream_ = stream;
    is_read_asked_ = false;
    messages_.clear();
    server_.CountOpened();
  }
  void Send(StreamId stream, std::string message) override {
    HOLDFAST_CHECK(stream == stream_);
    const auto request = ParseRequest(message);
    HOLDFAST_CHECK(request.ok());
    Later([this, stream] { listener_.OnSent(stream); });
    for (std::string& answer : server_.AnswerTo(*request)) messages_.push_back(std::move(answer));
    Pump();
  }
  void Read(StreamId stream) override {
    HOLDFAST_CHECK(stream == stream_ && !is_read_asked_);
    is_read_asked_ = true;
    Pump();
  }
  void Close(StreamId stream) override {
    HOLDFAST_CHECK(stream == stream_);
    stream_ = StreamId();
  }

 private:
  void Pump() {
    if (!is_read_asked_ || messages_.empty()) return;
    is_read_asked_ = false;
    Later([this, stream = stream_, message = std::move(messages_.front())] {
      const absl::string_view piece = message;
      if (stream == stream_) listener_.OnMessage(stream, absl::MakeConstSpan(&piece, 1));
    });
    messages_.pop_front();
  }
  // From the loop, unless this is gone by then.
  void Later(std::function<void()> news) {
    loop_.Post([alive = std::weak_ptr<int>(alive_), news = std::move(news)] {
      if (!alive.expired()) news();
    });
  }

  ControlLoop& loop_;
  Listener& listener_;
  FakeServer& server_;
  StreamId stream_;
  bool is_read_asked_ = false;
  std::deque<std::string> messages_;
  const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace holdfast
