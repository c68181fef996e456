// The only place that reaches into gRPC's private members.
//
// ChannelInterface, ClientContext and CompletionQueue each have `template <class R> friend class
// ClientReader`. A specialisation of it for a type of our own is therefore a friend of all three,
// by the rules of the language: nothing is cast, nothing is defined away. The members used here are
// the same in every version of gRPC that CMake lets through.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/impl/rpc_method.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace holdfast {
struct GrpcAccessTag {};
}  // namespace holdfast

namespace grpc {

template <>
class ClientReader<holdfast::GrpcAccessTag> final {
 public:
  // Of a channel.
  static internal::Call CreateCall(ChannelInterface& channel, const internal::RpcMethod& method,
                                   ClientContext* context, CompletionQueue* queue) {
    return channel.CreateCall(method, context, queue);
  }
  static void* RegisterMethod(ChannelInterface& channel, const char* method) {
    return channel.RegisterMethod(method);
  }
  static CompletionQueue* CallbackQueue(ChannelInterface& channel) { return channel.CallbackCQ(); }

  // Of a context.
  static const std::multimap<std::string, std::string>& Metadata(const ClientContext& context) {
    return context.send_initial_metadata_;
  }
  static bool IsWaitForReady(const ClientContext& context) { return context.wait_for_ready_; }
  static grpc_call* Parent(const ClientContext& context) { return context.propagate_from_call_; }
  static uint32_t Inherited(const ClientContext& context) {
    return context.propagation_options_.c_bitmask();
  }
  // The context owns the reference to `call` from now on, and keeps `channel`.
  static void SetCall(ClientContext& context, grpc_call* call,
                      const std::shared_ptr<Channel>& channel) {
    context.set_call(call, channel);
  }
  // The reference to the call is the caller's now. Until the next SetCall a TryCancel is only
  // remembered; SetCall obeys it.
  static grpc_call* DetachCall(ClientContext& context) {
    internal::MutexLock lock(&context.mu_);
    return std::exchange(context.call_, nullptr);
  }
  // Returns the one it kept before.
  static std::shared_ptr<Channel> ExchangeChannel(ClientContext& context,
                                                  std::shared_ptr<Channel> channel) {
    internal::MutexLock lock(&context.mu_);
    return std::exchange(context.channel_, std::move(channel));
  }

  // Of a completion queue: one that is held does not end, even if it was shut down.
  static void Hold(CompletionQueue& queue) { queue.RegisterAvalanching(); }
  static void Release(CompletionQueue& queue) { queue.CompleteAvalanching(); }
};

}  // namespace grpc

namespace holdfast {
using GrpcAccess = grpc::ClientReader<GrpcAccessTag>;
}  // namespace holdfast
