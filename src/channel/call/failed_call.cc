#include "channel/call/failed_call.h"

#include <grpc/grpc.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "base/outside_text.h"
#include "channel/call/data_plane_status.h"
#include "channel/call/grpc_access.h"

namespace holdfast {
namespace {

constexpr size_t kLongestText = 8192;

}  // namespace

grpc::internal::Call CreateFailedCall(const grpc::Status& status, grpc::Channel& fail_channel,
                                      const grpc::internal::RpcMethod& method,
                                      grpc::ClientContext* context, grpc::CompletionQueue* queue) {
  // A call cannot fail with OK; who says so is wrong, whoever it is.
  if (status.ok()) {
    return CreateFailedCall(DataPlaneStatus(Door::kPick, absl::OkStatus()), fail_channel, method,
                            context, queue);
  }
  const grpc::internal::Call call = GrpcAccess::CreateCall(fail_channel, method, context, queue);
  // A zero in it would end the text early; BoundedText has none.
  grpc_call_cancel_with_status(call.call(), static_cast<grpc_status_code>(status.error_code()),
                               BoundedText(status.error_message(), kLongestText).c_str(),
                               /*reserved=*/nullptr);
  return call;
}

}  // namespace holdfast
