// A transport to an xDS server, on a loop of its own, and what it says, as lines:
//
//   TransportSession session(options);
//   session.Ask(kFirst, "say hello");                  // opens, sends, reads
//   EXPECT_EQ(session.NextAnswer(), "message #1: hello");
//
// Waiting is bounded: what does not come fails the test.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/control_loop.h"
#include "runtime/grpc_ads_transport.h"

namespace holdfast {

class TransportSession final : private AdsTransport::Listener {
 public:
  explicit TransportSession(GrpcAdsTransportOptions options);
  // The transport goes first, on the loop; then the loop, which waits for what is pending.
  ~TransportSession() override;

  // On the loop, and waits for it. The transport is there unless DestroyAt took it.
  void Do(const std::function<void(AdsTransport&)>& work);
  void Open(StreamId stream);
  // Waits until the message before was sent.
  void Send(StreamId stream, const std::string& message);
  void Read(StreamId stream);
  void Close(StreamId stream);
  void Ask(StreamId stream, const std::string& message);

  // "sent #1", "message #1: TEXT", "closed #1: STATUS", "closed #1: STATUS (channel failing)",
  // "channel ready".
  std::string NextNews();
  // The next news but "sent", which an answer may overtake.
  std::string NextAnswer();
  // The transport is destroyed from inside the call that brings news beginning so.
  void DestroyAt(std::string news) { destroy_at_ = std::move(news); }
  bool HasTransport();

 private:
  void OnSent(StreamId stream) override;
  void OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) override;
  void OnClosed(StreamId stream, const absl::Status& status, bool is_channel_failing) override;
  void OnChannelReady() override;

  void Tell(std::string news);

  std::string destroy_at_;  // written before anything happens
  std::mutex mutex_;
  std::condition_variable has_news_;
  std::deque<std::string> news_;
  StreamId sending_;                         // has a message that was not reported as sent
  std::unique_ptr<AdsTransport> transport_;  // the loop's
  ControlLoop loop_;
};

}  // namespace holdfast
