// The interceptor that a deferred call needs, and the application's own, on every connection.
//
// A batch of operations that is parked is unknown to gRPC, so its queue could be shut down and come
// to its end without it. We hold the queue while the batch is parked. When to let go is delicate:
// before gRPC has the batch the queue could end, and once the batch has started it may complete,
// and a synchronous call destroys its queue at once. In between is one moment: gRPC has taken a
// hold of its own and runs the first interceptor. That is ours.
//
//   PerformOps ─▶ parked, queue held ─▶ StartParkedBatch ─▶ our interceptor releases ─▶ started
#pragma once

#include <grpcpp/completion_queue.h>
#include <grpcpp/impl/call.h>
#include <grpcpp/impl/call_op_set_interface.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <vector>

namespace holdfast {

using SharedInterceptors =
    std::vector<std::shared_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

// What a channel must be created with if deferred calls are to start on it: ours first, then those
// of the application. Ours joins deferred calls only, and where the application has interceptors
// every call: gRPC finds "the interceptors after this one" by position, and one that stayed away
// would shift them.
std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>
InterceptorsForConnection(const SharedInterceptors& applications);

// While one of these lives, the calls that this thread creates are deferred ones.
class DeferredCreation final {
 public:
  DeferredCreation();
  ~DeferredCreation();
  DeferredCreation(const DeferredCreation&) = delete;
  DeferredCreation& operator=(const DeferredCreation&) = delete;

 private:
  const bool before_;
};

// While one of these lives, the calls that this thread creates are Holdfast's own, which the
// interceptors of an application do not see.
class WithoutInterceptors final {
 public:
  WithoutInterceptors();
  ~WithoutInterceptors();
  WithoutInterceptors(const WithoutInterceptors&) = delete;
  WithoutInterceptors& operator=(const WithoutInterceptors&) = delete;
};

// Keeps the queue of a batch that is about to be parked; StartParkedBatch lets go.
void HoldForParkedBatch(grpc::CompletionQueue& queue);

// Starts a batch that was parked. When this returns nothing of the application may exist any more:
// the batch, its queue, the context. REQUIRES: `call` was created under DeferredCreation, on a
// channel made with InterceptorsForConnection; no lock is held.
void StartParkedBatch(grpc::internal::CallOpSetInterface* batch, grpc::internal::Call* call);

}  // namespace holdfast
