#include "tests/end_to_end/runtime/transport_session.h"

#include <chrono>
#include <future>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

constexpr std::chrono::seconds kPatience{30};

std::string NameOf(StreamId stream) { return absl::StrCat("#", stream.value()); }

}  // namespace

TransportSession::TransportSession(GrpcAdsTransportOptions options) {
  std::promise<void> done;
  loop_.Post([&] {
    transport_ = MakeGrpcAdsTransport(loop_, options, *this);
    done.set_value();
  });
  done.get_future().wait();
}

TransportSession::~TransportSession() {
  std::promise<void> done;
  loop_.Post([&] {
    transport_ = nullptr;
    done.set_value();
  });
  done.get_future().wait();
}

void TransportSession::Do(const std::function<void(AdsTransport&)>& work) {
  std::promise<void> done;
  loop_.Post([&] {
    work(*transport_);
    done.set_value();
  });
  done.get_future().wait();
}

void TransportSession::Open(StreamId stream) {
  Do([&](AdsTransport& transport) { transport.Open(stream); });
}

void TransportSession::Send(StreamId stream, const std::string& message) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    ASSERT_TRUE(has_news_.wait_for(lock, kPatience, [&] { return sending_ != stream; }));
    sending_ = stream;
  }
  Do([&](AdsTransport& transport) { transport.Send(stream, message); });
}

void TransportSession::Read(StreamId stream) {
  Do([&](AdsTransport& transport) { transport.Read(stream); });
}

void TransportSession::Close(StreamId stream) {
  Do([&](AdsTransport& transport) { transport.Close(stream); });
}

void TransportSession::Ask(StreamId stream, const std::string& message) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sending_ = stream;
  }
  // In one go: a stream without a connection may end at once.
  Do([&](AdsTransport& transport) {
    transport.Open(stream);
    transport.Send(stream, message);
    transport.Read(stream);
  });
}

std::string TransportSession::NextNews() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!has_news_.wait_for(lock, kPatience, [this] { return !news_.empty(); })) {
    ADD_FAILURE() << "no news in time";
    return "";
  }
  std::string news = std::move(news_.front());
  news_.pop_front();
  return news;
}

std::string TransportSession::NextAnswer() {
  std::string news;
  do {
    news = NextNews();
  } while (absl::StartsWith(news, "sent "));
  return news;
}

bool TransportSession::HasTransport() {
  std::promise<bool> has;
  loop_.Post([&] { has.set_value(transport_ != nullptr); });
  return has.get_future().get();
}

void TransportSession::OnSent(StreamId stream) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sending_ = StreamId();
  }
  Tell(absl::StrCat("sent ", NameOf(stream)));
}

void TransportSession::OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) {
  Tell(absl::StrCat("message ", NameOf(stream), ": ", absl::StrJoin(pieces, "")));
}

void TransportSession::OnClosed(StreamId stream, const absl::Status& status,
                                bool is_channel_failing) {
  Tell(absl::StrCat("closed ", NameOf(stream), ": ", status.ToString(),
                    is_channel_failing ? " (channel failing)" : ""));
}

void TransportSession::OnChannelReady() { Tell("channel ready"); }

void TransportSession::Tell(std::string news) {
  EXPECT_TRUE(loop_.IsLoopThread());
  EXPECT_NE(transport_, nullptr) << "news of a transport that is gone: " << news;
  if (!destroy_at_.empty() && absl::StartsWith(news, destroy_at_)) transport_ = nullptr;
  // With the mutex held: else a waiter could destroy what is notified.
  std::lock_guard<std::mutex> lock(mutex_);
  news_.push_back(std::move(news));
  has_news_.notify_one();
}

}  // namespace holdfast
