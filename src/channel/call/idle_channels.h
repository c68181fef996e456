// Channels on which nothing is ever sent. gRPC ties things to a channel that belong, with us, to no
// connection in particular: these have them.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>

#include <memory>

#include "channel/call/call_interceptor.h"

namespace holdfast {

// A handle of this method that any channel takes, and that never dies. (gRPC looks only at what is
// in it; but it dies with the channel that made it.)
void* RegisteredMethod(const char* method);

// The queue of the callback API. It is never given back: whoever gives back its last reference from
// inside a callback frees the thread he runs on (seen in 1.51).
grpc::CompletionQueue* SharedCallbackQueue();

// For calls that never start (placeholder_call.h). Stays idle.
grpc_channel* PlaceholderChannel();

// For calls that fail at once (failed_call.h): a channel of the ordinary kind, because only such a
// one reports the same status for every shape of call. Those without interceptors of an application
// share one. It stays idle.
std::shared_ptr<grpc::Channel> FailChannel(const SharedInterceptors& applications);

}  // namespace holdfast
