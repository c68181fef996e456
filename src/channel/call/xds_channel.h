// The channel that generated stubs hold. Every call asks the director where to go, and takes one of
// three lanes.
//
//   fast      a call of a connection's own channel; from then on gRPC's alone
//   deferred  deferred_call.h
//   fail      failed_call.h
//
// Thread-safe. Calls outlive the channel: they keep what they need of it.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/impl/rpc_method.h>

#include <cstddef>
#include <memory>

#include "channel/call/call_director.h"
#include "channel/call/call_interceptor.h"
#include "channel/call/channel_state.h"

namespace holdfast {

class XdsChannel final : public grpc::ChannelInterface {
 public:
  // REQUIRES: the channels that `director` starts calls on were made with InterceptorsForConnection
  // of the same `interceptors`.
  XdsChannel(std::shared_ptr<CallDirector> director, std::shared_ptr<ChannelState> state,
             const SharedInterceptors& interceptors);
  // Whoever watches its state hears of the end.
  ~XdsChannel() override;
  XdsChannel(const XdsChannel&) = delete;
  XdsChannel& operator=(const XdsChannel&) = delete;

  grpc_connectivity_state GetState(bool try_to_connect) override;

 private:
  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method,
                                  grpc::ClientContext* context,
                                  grpc::CompletionQueue* queue) override;
  grpc::internal::Call CreateCallInternal(const grpc::internal::RpcMethod& method,
                                          grpc::ClientContext* context,
                                          grpc::CompletionQueue* queue,
                                          size_t first_interceptor) override;
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* batch,
                        grpc::internal::Call* call) override;
  void* RegisterMethod(const char* method) override;
  void NotifyOnStateChangeImpl(grpc_connectivity_state last_observed, gpr_timespec deadline,
                               grpc::CompletionQueue* queue, void* tag) override;
  bool WaitForStateChangeImpl(grpc_connectivity_state last_observed,
                              gpr_timespec deadline) override;
  grpc::CompletionQueue* CallbackCQ() override;

  const std::shared_ptr<CallDirector> director_;
  const std::shared_ptr<ChannelState> state_;
  const std::shared_ptr<grpc::Channel> fail_channel_;
};

}  // namespace holdfast
