// Keeps a channel trying to connect while nobody calls on it, and tells when it has a connection
// again.
//
// gRPC's channels give up by themselves: one that lost its connection sits idle until somebody
// asks. All of it happens on the loop thread. After Abandon nothing more is told; the object lives
// until gRPC lets go of it, which it does soon after the channel is gone.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>

#include "runtime/pending_op.h"

namespace holdfast {

class ConnectionWatch final : public std::enable_shared_from_this<ConnectionWatch> {
 public:
  // `on_connected` runs from the loop and may do anything, Abandon and Start included.
  // REQUIRES: the channel has a target. The state of one without never changes, and gRPC would keep
  // our notification until its deadline.
  ConnectionWatch(std::shared_ptr<grpc::Channel> channel, grpc::CompletionQueue* queue,
                  std::function<void()> on_connected);

  // From now on wants a connection, and tells when there is one that was not there before.
  // `is_failing`: there was none a moment ago, even if there is one already.
  void Start(bool is_failing);
  // Somebody calls on the channel, who will see for himself.
  void Stop() { is_wanted_ = false; }
  void Abandon();

 private:
  void Arm();
  void OnChanged(bool ok);

  std::shared_ptr<grpc::Channel> channel_;  // null: abandoned
  grpc::CompletionQueue* const queue_;
  std::function<void()> on_connected_;
  bool is_wanted_ = false;
  grpc_connectivity_state last_known_ = GRPC_CHANNEL_IDLE;
  // It cannot be cancelled: when nobody wants it any more it fires into the void.
  PendingOp<ConnectionWatch> notification_{&ConnectionWatch::OnChanged};
};

}  // namespace holdfast
