// A call on the fast lane that may wait: it was created on a connection that is ready, and starts
// there if nothing has changed until then. An application may prepare a call and start it much
// later; what was ready may be gone, and then the call is deferred.
//
//   CreateCall ── created on the connection, unknown to its context
//   first operation ─┬─ all as before: the context gets the call, operations are gRPC's alone
//                    └─ else: the context gets a DeferredCall, operations are parked there
//
// 1. Until the call starts its context does not know it. So a TryCancel is remembered by the
//    context, and obeyed by whichever call it gets.
// 2. The call it was created as lives as long as the context, even if another one is made: what the
//    application holds is in its arena. So factories of interceptors are asked twice; the
//    interceptors of the first call hear nothing.
//
// Thread-safe. Kept by its context.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/call_op_set_interface.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "channel/call/deferred_call.h"
#include "channel/call/kept_method.h"

namespace holdfast {

class PreparedCall final : private grpc::internal::CallHook,
                           public std::enable_shared_from_this<PreparedCall> {
  struct Private {};  // only Create makes one

 public:
  // `connection` is where the director sent the call when it counted `changes`.
  static grpc::internal::Call Create(std::shared_ptr<grpc::Channel> connection, uint64_t changes,
                                     CallInTheMaking making);

  PreparedCall(Private, std::shared_ptr<grpc::Channel> connection, uint64_t changes,
               CallInTheMaking making);
  ~PreparedCall() override;

 private:
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* batch,
                        grpc::internal::Call* call) override;
  bool IsAllAsBefore() const;

  const std::shared_ptr<grpc::Channel> connection_;
  const uint64_t changes_;
  const KeptMethod method_;
  CallInTheMaking making_;  // with method_
  grpc::internal::Call call_;

  // So that operations of a call on its way take no lock.
  std::atomic<bool> is_started_ = false;
  std::mutex mutex_;
  grpc_call* reference_ = nullptr;  // ours, until it is the context's
  std::shared_ptr<DeferredCall> deferred_;
};

}  // namespace holdfast
