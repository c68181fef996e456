#include "channel/call/deferred_call.h"

#include <grpc/support/time.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "channel/call/call_deadline.h"
#include "channel/call/call_interceptor.h"
#include "channel/call/failed_call.h"
#include "channel/call/grpc_access.h"

namespace holdfast {
namespace {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::RpcMethod;

void Cancel(grpc_call* call, const grpc::Status& status) {
  grpc_call_cancel_with_status(call, static_cast<grpc_status_code>(status.error_code()),
                               status.error_message().c_str(), /*reserved=*/nullptr);
}

}  // namespace

class DeferredCall::Lease final {
 public:
  Lease(std::shared_ptr<DeferredCall> call, std::shared_ptr<grpc::Channel> kept)
      : kept_(std::move(kept)), call_(std::move(call)) {}
  ~Lease() { call_->OnContextGone(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  const std::shared_ptr<grpc::Channel> kept_;
  const std::shared_ptr<DeferredCall> call_;
};

class DeferredCall::LimitOver final : public grpc::internal::CompletionQueueTag, public Completion {
 public:
  LimitOver(std::weak_ptr<DeferredCall> call, std::shared_ptr<PlaceholderCall> limit)
      : call_(std::move(call)), limit_(std::move(limit)) {}

  bool FinalizeResult(void** tag, bool*) override {
    *tag = static_cast<Completion*>(this);
    return true;
  }
  void Done(bool) override {
    const std::unique_ptr<LimitOver> self(this);
    if (limit_->WasReleased()) return;
    // In gRPC's words: it is a deadline like any other.
    if (const std::shared_ptr<DeferredCall> call = call_.lock(); call != nullptr) {
      Cancel(call->placeholder_.get(), limit_->End());
    }
  }

 private:
  const std::weak_ptr<DeferredCall> call_;
  const std::shared_ptr<PlaceholderCall> limit_;
};

bool DeferredCall::PlaceholderOver::FinalizeResult(void** tag, bool*) {
  *tag = static_cast<Completion*>(this);
  return true;
}

void DeferredCall::PlaceholderOver::Done(bool) {
  // This object goes with its call.
  const std::shared_ptr<DeferredCall> call = std::move(call_);
  call->OnPlaceholderOver();
}

Call DeferredCall::Create(const CallInTheMaking& making, std::shared_ptr<WaitingPlace> place) {
  const std::shared_ptr<DeferredCall> call =
      Begin(std::shared_ptr<DeferredCall>(
                new DeferredCall(making, std::move(place), /*asks_first=*/making.waits_for_ready)),
            /*kept=*/nullptr);
  return Call(call->placeholder_.get(), call.get(), making.queue);
}

std::shared_ptr<DeferredCall> DeferredCall::TakeOver(const CallInTheMaking& making,
                                                     std::shared_ptr<grpc::Channel> kept) {
  return Begin(std::shared_ptr<DeferredCall>(
                   new DeferredCall(making, /*place=*/nullptr, /*asks_first=*/true)),
               std::move(kept));
}

std::shared_ptr<DeferredCall> DeferredCall::Begin(std::shared_ptr<DeferredCall> call,
                                                  std::shared_ptr<grpc::Channel> kept) {
  call->placeholder_over_.Expect(call);
  call->placeholder_.Begin(&call->placeholder_over_);
  // This reference is the context's.
  grpc_call_ref(call->placeholder_.get());
  GrpcAccess::SetCall(*call->context_, call->placeholder_.get(),
                      std::shared_ptr<grpc::Channel>(std::make_shared<Lease>(call, std::move(kept)),
                                                     call->fail_channel_.get()));
  return call;
}

DeferredCall::DeferredCall(const CallInTheMaking& making, std::shared_ptr<WaitingPlace> place,
                           bool asks_first)
    : made_(making.made),
      director_(making.director),
      waits_for_ready_(making.waits_for_ready),
      asks_first_(asks_first),
      fail_channel_(making.fail_channel),
      method_(*making.method),
      context_(making.context),
      queue_(making.queue),
      placeholder_(GrpcAccess::Parent(*context_), GrpcAccess::Inherited(*context_),
                   ControlLoop::Shared().queue(), context_->raw_deadline()),
      place_(std::move(place)) {}

DeferredCall::~DeferredCall() { HOLDFAST_CHECK(real_reference_ == nullptr && parked_.empty()); }

void DeferredCall::PerformOpsOnCall(CallOpSetInterface* batch, Call*) {
  // Once a batch has started this object may be gone.
  if (is_started_.load(std::memory_order_acquire)) return batch->FillOps(&real_);
  const std::shared_ptr<DeferredCall> self = shared_from_this();
  Lock lock(mutex_);
  if (phase_ == Phase::kStarted) {
    lock.unlock();
    return batch->FillOps(&real_);
  }
  HoldForParkedBatch(*queue_);
  parked_.push_back(batch);
  if (phase_ == Phase::kPrepared) {
    phase_ = Phase::kWaiting;
    if (asks_first_) {
      // It may have been created long ago.
      lock.unlock();
      if (TryAgain()) return;
      lock.lock();
    }
    const std::shared_ptr<WaitingPlace> place = place_;
    lock.unlock();
    director_->Wait(weak_from_this(), place);
  } else if (phase_ == Phase::kEnded) {
    Go(std::move(lock), Direction{.kind = Direction::Kind::kFail, .status = *end_});
  }
}

bool DeferredCall::TryAgain() {
  Lock lock(mutex_);
  if (phase_ != Phase::kWaiting) return true;
  const std::shared_ptr<WaitingPlace> place_before = place_;
  // Under the lock: as long as nobody else can end the call its context is there to be read.
  Direction direction =
      director_->Direct(RoutedCall{(*method_).name(), GrpcAccess::Metadata(*context_)}, place_);
  const bool waits_on = direction.kind == Direction::Kind::kWait ||
                        (direction.kind == Direction::Kind::kFail && waits_for_ready_);
  if (waits_on) {
    waits_for_ = direction.kind == Direction::Kind::kFail ? direction.status.error_message()
                                                          : std::move(direction.waits_for);
    // Also of a route to a cluster in error, which has no place to wait at.
    if (direction.longest.has_value()) LimitWait(*direction.longest);
    if (place_ == place_before) return false;
    // It knows now which cluster it wants, or the one it wanted is gone: it waits somewhere else.
    const std::shared_ptr<WaitingPlace> place = place_;
    lock.unlock();
    director_->Wait(weak_from_this(), place);
    return true;
  }
  const std::shared_ptr<DeferredCall> self = shared_from_this();
  Go(std::move(lock), std::move(direction));
  return true;
}

void DeferredCall::OnPlaceholderOver() {
  if (placeholder_.WasReleased()) return;
  Lock lock(mutex_);
  end_ = EndOfWaiting();
  switch (phase_) {
    case Phase::kPrepared:
      phase_ = Phase::kEnded;
      return;
    case Phase::kWaiting:
      return Go(std::move(lock), Direction{.kind = Direction::Kind::kFail, .status = *end_});
    case Phase::kStarting:
    case Phase::kStarted: {
      // It was cancelled as the context was moved: the real call is to know. Before it exists, Bind
      // will tell it; and no longer than its context does it matter.
      if (real_reference_ == nullptr) return;
      grpc_call* const real = real_reference_;
      grpc_call_ref(real);
      lock.unlock();
      Cancel(real, *end_);
      return grpc_call_unref(real);
    }
    case Phase::kEnded:
      return;
  }
}

void DeferredCall::LimitWait(absl::Duration longest) {
  if (limited_to_.has_value() && *limited_to_ <= longest) return;
  limited_to_ = longest;
  if (limit_ != nullptr) limit_->Release();
  limit_ =
      std::make_shared<PlaceholderCall>(/*parent=*/nullptr, /*inherited=*/0,
                                        ControlLoop::Shared().queue(), LatestEnd(made_, longest));
  limit_->Begin(new LimitOver(weak_from_this(), limit_));
}

grpc::Status DeferredCall::EndOfWaiting() const {
  grpc::Status end = placeholder_.End();
  if (end.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED || waits_for_.empty()) return end;
  return grpc::Status(end.error_code(),
                      absl::StrCat(end.error_message(), "; the call was waiting: ", waits_for_));
}

void DeferredCall::Go(Lock lock, Direction direction) {
  phase_ = Phase::kStarting;
  lock.unlock();
  Bind(direction);
  StartParked(Lock(mutex_));
}

void DeferredCall::Bind(const Direction& direction) {
  // From here on a TryCancel is remembered by the context, and obeyed when it gets the real call.
  grpc_call* const placeholder = GrpcAccess::DetachCall(*context_);
  std::shared_ptr<grpc::Channel> lease = GrpcAccess::ExchangeChannel(*context_, nullptr);
  const Call call = CreateRealCall(direction);
  std::shared_ptr<grpc::Channel> channel = GrpcAccess::ExchangeChannel(*context_, std::move(lease));
  grpc_call_unref(placeholder);
  grpc_call_ref(call.call());

  Lock lock(mutex_);
  real_ = call;
  real_reference_ = call.call();
  real_channel_ = std::move(channel);
  // The choice that it kept is made.
  const std::shared_ptr<WaitingPlace> place = std::move(place_);
  const std::optional<grpc::Status> end = end_;
  const std::shared_ptr<PlaceholderCall> limit = std::move(limit_);
  lock.unlock();
  if (limit != nullptr) limit->Release();
  if (end.has_value()) Cancel(call.call(), *end);
  placeholder_.Release();
}

Call DeferredCall::CreateRealCall(const Direction& direction) {
  const DeferredCreation deferred;
  if (direction.kind != Direction::Kind::kStart) {
    // A deadline that has passed would end the call in gRPC's words before it gets to ours.
    const gpr_timespec deadline = context_->raw_deadline();
    context_->set_deadline(gpr_inf_future(deadline.clock_type));
    const Call call =
        CreateFailedCall(direction.status, *fail_channel_, *method_, context_, queue_);
    context_->set_deadline(deadline);
    return call;
  }
  if (direction.longest.has_value()) LimitDeadline(*context_, made_, *direction.longest);
  return GrpcAccess::CreateCall(*direction.channel, *method_, context_, queue_);
}

void DeferredCall::StartParked(Lock lock) {
  while (!parked_.empty()) {
    CallOpSetInterface* const batch = parked_.front();
    parked_.pop_front();
    lock.unlock();
    StartParkedBatch(batch, &real_);
    lock.lock();
  }
  phase_ = Phase::kStarted;
  is_started_.store(true, std::memory_order_release);
}

void DeferredCall::OnContextGone() {
  Lock lock(mutex_);
  grpc_call* const real = std::exchange(real_reference_, nullptr);
  const std::shared_ptr<grpc::Channel> channel = std::move(real_channel_);
  const std::shared_ptr<WaitingPlace> place = std::move(place_);
  lock.unlock();
  if (real != nullptr) {
    grpc_call_unref(real);
  } else {
    // It never started, and nobody will ask.
    placeholder_.Release();
  }
}

}  // namespace holdfast
