// The fail lane: a call that has its status already.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/status.h>

namespace holdfast {

// Whatever its shape, the application gets the code and the text of `status`: the text in one line
// of UTF-8 and at most 8 KiB, which is what any server could send. `fail_channel` is one of
// FailChannel; interceptors on it see the call as they see every other.
grpc::internal::Call CreateFailedCall(const grpc::Status& status, grpc::Channel& fail_channel,
                                      const grpc::internal::RpcMethod& method,
                                      grpc::ClientContext* context, grpc::CompletionQueue* queue);

}  // namespace holdfast
