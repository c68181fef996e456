#include "channel/call/xds_channel.h"

#include <grpc/support/time.h>

#include <utility>

#include "channel/call/call_deadline.h"
#include "channel/call/deferred_call.h"
#include "channel/call/failed_call.h"
#include "channel/call/grpc_access.h"
#include "channel/call/idle_channels.h"
#include "channel/call/prepared_call.h"

namespace holdfast {

using grpc::internal::Call;
using grpc::internal::RpcMethod;

XdsChannel::XdsChannel(std::shared_ptr<CallDirector> director, std::shared_ptr<ChannelState> state,
                       const SharedInterceptors& interceptors)
    : director_(std::move(director)),
      state_(std::move(state)),
      fail_channel_(FailChannel(interceptors)) {}

XdsChannel::~XdsChannel() { state_->Set(GRPC_CHANNEL_SHUTDOWN); }

grpc_connectivity_state XdsChannel::GetState(bool try_to_connect) {
  return state_->Get(try_to_connect);
}

Call XdsChannel::CreateCall(const RpcMethod& method, grpc::ClientContext* context,
                            grpc::CompletionQueue* queue) {
  // Waiting is ours: it ends on the first connection that works. gRPC's own would be for the one
  // address of the connection that was picked, and if that is gone for good, for ever.
  const bool waits_for_ready = GrpcAccess::IsWaitForReady(*context);
  if (waits_for_ready) context->set_wait_for_ready(false);
  // Before it is asked: what changes meanwhile must not be missed.
  const uint64_t changes = waits_for_ready ? director_->changes() : 0;
  std::shared_ptr<WaitingPlace> place;
  const Direction direction =
      director_->Direct(RoutedCall{method.name(), GrpcAccess::Metadata(*context)}, place);
  switch (direction.kind) {
    case Direction::Kind::kStart:
      if (waits_for_ready) break;
      if (direction.longest.has_value()) {
        LimitDeadline(*context, gpr_now(GPR_CLOCK_MONOTONIC), *direction.longest);
      }
      return GrpcAccess::CreateCall(*direction.channel, method, context, queue);
    case Direction::Kind::kFail:
      if (waits_for_ready) break;
      [[fallthrough]];
    case Direction::Kind::kDrop:
      return CreateFailedCall(direction.status, *fail_channel_, method, context, queue);
    case Direction::Kind::kWait:
      break;
  }
  CallInTheMaking making = {director_,
                            fail_channel_,
                            &method,
                            context,
                            queue,
                            waits_for_ready,
                            /*made=*/gpr_now(GPR_CLOCK_MONOTONIC)};
  if (direction.longest.has_value()) LimitDeadline(*context, making.made, *direction.longest);
  if (direction.kind == Direction::Kind::kStart) {
    return PreparedCall::Create(direction.channel, changes, std::move(making));
  }
  return DeferredCall::Create(making, std::move(place));
}

Call XdsChannel::CreateCallInternal(const RpcMethod& method, grpc::ClientContext* context,
                                    grpc::CompletionQueue* queue, size_t) {
  // Interceptors have the channel of the connection to go on with, never this one; their positions
  // mean nothing here.
  return CreateCall(method, context, queue);
}

void XdsChannel::PerformOpsOnCall(grpc::internal::CallOpSetInterface* batch, Call* call) {
  batch->FillOps(call);
}

void* XdsChannel::RegisterMethod(const char* method) { return RegisteredMethod(method); }

void XdsChannel::NotifyOnStateChangeImpl(grpc_connectivity_state last_observed,
                                         gpr_timespec deadline, grpc::CompletionQueue* queue,
                                         void* tag) {
  state_->NotifyOnChange(last_observed, deadline, queue, tag);
}

bool XdsChannel::WaitForStateChangeImpl(grpc_connectivity_state last_observed,
                                        gpr_timespec deadline) {
  return state_->WaitForChange(last_observed, deadline);
}

grpc::CompletionQueue* XdsChannel::CallbackCQ() { return SharedCallbackQueue(); }

}  // namespace holdfast
