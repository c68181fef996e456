#include "channel/call/channel_state.h"

#include <grpc/support/time.h>

#include <utility>

namespace holdfast {

// What gRPC has as the tag; the watcher gets his own instead.
class ChannelState::Watch final : public grpc::internal::CompletionQueueTag {
 public:
  Watch(std::weak_ptr<ChannelState> state, std::shared_ptr<PlaceholderCall> call, void* tag)
      : state_(std::move(state)), call_(std::move(call)), tag_(tag) {}

  bool FinalizeResult(void** tag, bool* ok) override {
    *tag = tag_;
    *ok = call_->WasReleased();
    if (const std::shared_ptr<ChannelState> state = state_.lock()) state->Forget(*call_);
    delete this;
    return true;
  }

 private:
  const std::weak_ptr<ChannelState> state_;
  const std::shared_ptr<PlaceholderCall> call_;
  void* const tag_;
};

ChannelState::ChannelState(std::function<void()> connection_wanted)
    : connection_wanted_(std::move(connection_wanted)) {}

void ChannelState::Set(grpc_connectivity_state state) {
  std::vector<Waiting> changed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == GRPC_CHANNEL_SHUTDOWN) return;
    state_ = state;
    std::vector<Waiting> unchanged;
    for (Waiting& waiting : waiting_) {
      (waiting.last_observed == state ? unchanged : changed).push_back(std::move(waiting));
    }
    waiting_ = std::move(unchanged);
  }
  for (const Waiting& waiting : changed) waiting.call->Release();
}

grpc_connectivity_state ChannelState::Get(bool try_to_connect) {
  if (try_to_connect) connection_wanted_();
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

void ChannelState::NotifyOnChange(grpc_connectivity_state last_observed, gpr_timespec deadline,
                                  grpc::CompletionQueue* queue, void* tag) {
  const auto call =
      std::make_shared<PlaceholderCall>(/*parent=*/nullptr, /*inherited=*/0, queue, deadline);
  bool is_changed = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_changed = state_ != last_observed;
    // Before it begins: it may be over at once, and is forgotten then.
    if (!is_changed) waiting_.push_back({last_observed, call});
  }
  call->Begin(new Watch(weak_from_this(), call, tag));
  if (is_changed) call->Release();
}

bool ChannelState::WaitForChange(grpc_connectivity_state last_observed, gpr_timespec deadline) {
  grpc::CompletionQueue queue;
  NotifyOnChange(last_observed, deadline, &queue, nullptr);
  void* tag = nullptr;
  bool is_changed = false;
  queue.Next(&tag, &is_changed);
  return is_changed;
}

void ChannelState::Forget(const PlaceholderCall& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(waiting_, [&call](const Waiting& waiting) { return waiting.call.get() == &call; });
}

}  // namespace holdfast
