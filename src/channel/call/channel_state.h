// What a channel says of its connectivity, and who waits for it to change.
//
// A watch is a placeholder call on the watcher's own queue: gRPC keeps the queue open for it and
// ends it at its deadline; a change releases it. So there is no timer here and no thread.
//
// Thread-safe.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "channel/call/placeholder_call.h"

namespace holdfast {

class ChannelState final : public std::enable_shared_from_this<ChannelState> {
 public:
  // `connection_wanted` runs on the thread of whoever asks for a connection, with nothing locked.
  explicit ChannelState(std::function<void()> connection_wanted);

  // GRPC_CHANNEL_SHUTDOWN is the last one.
  void Set(grpc_connectivity_state state);

  // The rest: as grpc::ChannelInterface has it.
  grpc_connectivity_state Get(bool try_to_connect);
  // `tag` comes out of the queue with true if the state became, or is, another one than
  // `last_observed`, and with false at the deadline.
  void NotifyOnChange(grpc_connectivity_state last_observed, gpr_timespec deadline,
                      grpc::CompletionQueue* queue, void* tag);
  bool WaitForChange(grpc_connectivity_state last_observed, gpr_timespec deadline);

 private:
  class Watch;
  struct Waiting {
    grpc_connectivity_state last_observed;
    std::shared_ptr<PlaceholderCall> call;
  };

  void Forget(const PlaceholderCall& call);

  const std::function<void()> connection_wanted_;
  std::mutex mutex_;
  grpc_connectivity_state state_ = GRPC_CHANNEL_IDLE;
  std::vector<Waiting> waiting_;
};

}  // namespace holdfast
