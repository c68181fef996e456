#include "channel/call/prepared_call.h"

#include <utility>

#include "channel/call/grpc_access.h"

namespace holdfast {

using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;

Call PreparedCall::Create(std::shared_ptr<grpc::Channel> connection, uint64_t changes,
                          CallInTheMaking making) {
  grpc::ClientContext& context = *making.context;
  grpc::CompletionQueue* const queue = making.queue;
  const auto self =
      std::make_shared<PreparedCall>(Private(), std::move(connection), changes, std::move(making));
  self->call_ = GrpcAccess::CreateCall(*self->connection_, *self->method_, &context, queue);
  self->reference_ = GrpcAccess::DetachCall(context);
  GrpcAccess::ExchangeChannel(context,
                              std::shared_ptr<grpc::Channel>(self, self->connection_.get()));
  return Call(self->call_.call(), self.get(), queue, self->call_.client_rpc_info());
}

PreparedCall::PreparedCall(Private, std::shared_ptr<grpc::Channel> connection, uint64_t changes,
                           CallInTheMaking making)
    : connection_(std::move(connection)),
      changes_(changes),
      method_(*making.method),
      making_(std::move(making)) {
  making_.method = &*method_;
}

PreparedCall::~PreparedCall() {
  if (reference_ != nullptr) grpc_call_unref(reference_);
}

void PreparedCall::PerformOpsOnCall(CallOpSetInterface* batch, Call*) {
  // Once a batch has started this object may be gone.
  if (is_started_.load(std::memory_order_acquire)) return batch->FillOps(&call_);
  std::unique_lock<std::mutex> lock(mutex_);
  if (reference_ != nullptr && deferred_ == nullptr) {
    const std::shared_ptr<grpc::Channel> kept(shared_from_this(), connection_.get());
    if (IsAllAsBefore()) {
      GrpcAccess::SetCall(*making_.context, std::exchange(reference_, nullptr), kept);
      is_started_.store(true, std::memory_order_release);
    } else {
      deferred_ = DeferredCall::TakeOver(making_, kept);
    }
  }
  const std::shared_ptr<DeferredCall> deferred = deferred_;
  lock.unlock();
  if (deferred == nullptr) return batch->FillOps(&call_);
  deferred->Perform(batch);
}

bool PreparedCall::IsAllAsBefore() const {
  return making_.director->changes() == changes_ &&
         connection_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
}

}  // namespace holdfast
