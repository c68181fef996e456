#include "runtime/connection_watch.h"

#include <chrono>
#include <utility>

namespace holdfast {
namespace {

// gRPC insists on a deadline. What wakes us is the change; this only bounds how long a notification
// can be forgotten.
constexpr std::chrono::hours kDeadline{1};

}  // namespace

ConnectionWatch::ConnectionWatch(std::shared_ptr<grpc::Channel> channel,
                                 grpc::CompletionQueue* queue, std::function<void()> on_connected)
    : channel_(std::move(channel)), queue_(queue), on_connected_(std::move(on_connected)) {}

void ConnectionWatch::Start(bool is_failing) {
  is_wanted_ = true;
  const grpc_connectivity_state state = channel_->GetState(/*try_to_connect=*/true);
  last_known_ = is_failing ? GRPC_CHANNEL_TRANSIENT_FAILURE : state;
  // A notification from an earlier time waits for a change from a state that is past or present;
  // either way it comes when there is news for us.
  if (!notification_.is_pending()) Arm();
}

void ConnectionWatch::Abandon() {
  is_wanted_ = false;
  // A channel that is gone completes its notifications.
  channel_ = nullptr;
}

void ConnectionWatch::Arm() {
  channel_->NotifyOnStateChange(last_known_, std::chrono::system_clock::now() + kDeadline, queue_,
                                notification_.Begin(shared_from_this()));
}

void ConnectionWatch::OnChanged(bool) {
  if (!is_wanted_) return;
  const grpc_connectivity_state before =
      std::exchange(last_known_, channel_->GetState(/*try_to_connect=*/true));
  Arm();
  if (last_known_ == GRPC_CHANNEL_READY && before != GRPC_CHANNEL_READY) on_connected_();
}

}  // namespace holdfast
