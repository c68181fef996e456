// The deferred lane: a call that has nowhere to go yet, or that had and has no longer when it
// starts (prepared_call.h).
//
// The application holds a call as any other. Under it is a placeholder, which gRPC watches for
// cancelling, deadlines and parents; operations are parked. When the director knows the way, or
// somebody ends the call, the real call is created, on a connection or on the fail channel, the
// context is moved from the placeholder to it, and the operations start in the order they came.
//
//   kPrepared ── first operation ──▶ kWaiting ── decided, or placeholder over ──▶ kStarting ──▶
//       │                                                                         ▲      kStarted
//       └────────────── placeholder over ──▶ kEnded ── first operation ───────────┘
//
// 1. The context belongs to the application, who may destroy it unless an operation is pending. So
//    it is touched only while one is parked: in kWaiting and kStarting.
// 2. Operations start in the order they came: until all that were parked have started, every new
//    one is parked behind them.
// 3. No lock is held while an operation starts: it may complete, and the application be called,
//    before that returns.
//
// Thread-safe. Kept by its context, and by gRPC until the placeholder is over. Two differences to a
// call that was not deferred remain. A reactor hears OnReadInitialMetadataDone(true) where the
// server sent nothing but trailers, as gRPC asks the placeholder for that. And gRPC tells us on the
// loop that the placeholder was cancelled: a call that was cancelled before it started can reach
// the server, if it may start at once, and is cancelled there.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_hook.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/impl/rpc_method.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "channel/call/call_director.h"
#include "channel/call/kept_method.h"
#include "channel/call/placeholder_call.h"
#include "runtime/control_loop.h"

namespace holdfast {

// What a call is made of.
struct CallInTheMaking {
  std::shared_ptr<CallDirector> director;
  std::shared_ptr<grpc::Channel> fail_channel;
  const grpc::internal::RpcMethod* method;
  grpc::ClientContext* context;
  grpc::CompletionQueue* queue;
  bool waits_for_ready;
  gpr_timespec made;
};

class DeferredCall final : public WaitingCall,
                           private grpc::internal::CallHook,
                           public std::enable_shared_from_this<DeferredCall> {
 public:
  // For the call that was told to wait, with the place it was given, if any.
  static grpc::internal::Call Create(const CallInTheMaking& making,
                                     std::shared_ptr<WaitingPlace> place);

  // For a call that its context does not have yet. `kept` is what the context keeps as its channel.
  static std::shared_ptr<DeferredCall> TakeOver(const CallInTheMaking& making,
                                                std::shared_ptr<grpc::Channel> kept);
  void Perform(grpc::internal::CallOpSetInterface* batch) { PerformOpsOnCall(batch, nullptr); }

  ~DeferredCall() override;

  bool TryAgain() override;

 private:
  using Lock = std::unique_lock<std::mutex>;
  enum class Phase { kPrepared, kWaiting, kEnded, kStarting, kStarted };

  // What the context keeps instead of its channel, so that it tells when it goes.
  class Lease;

  // The tag of the placeholder. Keeps the call until then.
  class PlaceholderOver final : public grpc::internal::CompletionQueueTag, public Completion {
   public:
    void Expect(std::shared_ptr<DeferredCall> call) { call_ = std::move(call); }
    bool FinalizeResult(void** tag, bool* ok) override;
    void Done(bool ok) override;

   private:
    std::shared_ptr<DeferredCall> call_;
  };

  // The tag of limit_.
  class LimitOver;

  DeferredCall(const CallInTheMaking& making, std::shared_ptr<WaitingPlace> place, bool asks_first);
  // The context has it from now on, and keeps `kept`, too.
  static std::shared_ptr<DeferredCall> Begin(std::shared_ptr<DeferredCall> call,
                                             std::shared_ptr<grpc::Channel> kept);

  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* batch,
                        grpc::internal::Call* call) override;
  void OnPlaceholderOver();
  void OnContextGone();
  // Ends the wait when the longest time of the route is over, which was not known when the call was
  // made. REQUIRES: mutex_.
  void LimitWait(absl::Duration longest);
  // How the placeholder ended, with what the call was waiting for. REQUIRES: mutex_.
  grpc::Status EndOfWaiting() const;

  // Those with a lock want it held, and return without it.
  void Go(Lock lock, Direction direction);
  // Creates the real call and moves the context to it.
  void Bind(const Direction& direction);
  grpc::internal::Call CreateRealCall(const Direction& direction);
  void StartParked(Lock lock);

  const gpr_timespec made_;
  const std::shared_ptr<CallDirector> director_;
  const bool waits_for_ready_;
  const bool asks_first_;  // before it waits: nobody has told it to
  const std::shared_ptr<grpc::Channel> fail_channel_;
  const KeptMethod method_;
  grpc::ClientContext* const context_;
  grpc::CompletionQueue* const queue_;

  PlaceholderCall placeholder_;
  PlaceholderOver placeholder_over_;

  // Phase is kStarted. So that operations of a call on its way take no lock.
  std::atomic<bool> is_started_ = false;

  std::mutex mutex_;
  Phase phase_ = Phase::kPrepared;
  std::shared_ptr<WaitingPlace> place_;
  std::deque<grpc::internal::CallOpSetInterface*> parked_;  // not empty in kWaiting
  std::string waits_for_;                                   // what for, when it asked the last time
  std::optional<absl::Duration> limited_to_;
  std::shared_ptr<PlaceholderCall> limit_;  // over when the wait is to be; null: nobody limited it
  std::optional<grpc::Status> end_;         // how the placeholder ended, unless we released it
  grpc::internal::Call real_;               // null until bound; once kStarted it does not change
  // What keeps the real call until the context is gone.
  grpc_call* real_reference_ = nullptr;
  std::shared_ptr<grpc::Channel> real_channel_;
};

}  // namespace holdfast
