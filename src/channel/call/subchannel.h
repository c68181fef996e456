// A connection to one address: a gRPC channel of its own, watched.
//
// gRPC's channel connects when it is told to, tries again by itself after a failure, and sits idle
// when a connection broke. Its state says nothing of why: a failing one is asked with a call that
// never leaves the process, and only then is the failure told. It is asked again every few seconds,
// because a later attempt may fail for another reason without a change of state.
//
// All of it happens on the loop thread, except that calls use the channel from anywhere.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/strong_id.h"
#include "channel/lb/lb_tree.h"
#include "runtime/pending_op.h"

namespace holdfast {

class Subchannel final : public std::enable_shared_from_this<Subchannel> {
 public:
  using ListenerId = StrongId<struct SubchannelListenerIdTag>;
  using Listener = std::function<void(Connectivity state, const absl::Status& why)>;

  Subchannel(std::string target, std::shared_ptr<grpc::Channel> channel,
             grpc::CompletionQueue* queue);

  const std::string& target() const { return target_; }
  // REQUIRES: not abandoned.
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Told every state from now on, and the present one at once if it is not IDLE.
  ListenerId AddListener(Listener listener);
  // When the last one leaves, the connection is given up. Whether it was the last.
  bool RemoveListener(ListenerId listener);

  void Connect();

 private:
  class FailureCall;

  void Watch();
  void OnChanged(bool ok);
  void OnWhy(const absl::Status& why);
  void OnNoWhy();
  void Tell(Connectivity state, absl::Status why);

  const std::string target_;
  grpc::CompletionQueue* const queue_;
  std::shared_ptr<grpc::Channel> channel_;  // null: abandoned
  grpc_connectivity_state last_known_ = GRPC_CHANNEL_IDLE;
  Connectivity told_ = Connectivity::kIdle;
  absl::Status told_why_;
  IdSource<ListenerId> listener_ids_;
  std::map<ListenerId, Listener> listeners_;
  // It cannot be cancelled, but ends soon after the channel.
  PendingOp<Subchannel> notification_{&Subchannel::OnChanged};
};

}  // namespace holdfast
