#include "channel/call/call_interceptor.h"

#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/interceptor.h>

#include <utility>

#include "base/check.h"
#include "channel/call/grpc_access.h"

namespace holdfast {
namespace {

using Factory = grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

thread_local bool is_creating_deferred_call = false;
thread_local bool is_creating_own_call = false;

// The queue of the parked batch that this thread is about to start; null once it was released.
thread_local grpc::CompletionQueue* held_queue = nullptr;

class QueueReleaser final : public Interceptor {
 public:
  void Intercept(InterceptorBatchMethods* methods) override {
    if (held_queue != nullptr) GrpcAccess::Release(*std::exchange(held_queue, nullptr));
    methods->Proceed();
  }
};

class QueueReleaserFactory final : public Factory {
 public:
  explicit QueueReleaserFactory(bool joins_every_call) : joins_every_call_(joins_every_call) {}
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override {
    if (!joins_every_call_ && !is_creating_deferred_call && !HasGlobalFactory()) return nullptr;
    return new QueueReleaser;
  }

  // gRPC counts interceptors and factories alike: were this factory without an interceptor, a
  // global one that calls on through GetInterceptedChannel() would meet itself again, for ever.
  static bool HasGlobalFactory() {
    return grpc::internal::g_global_client_interceptor_factory != nullptr;
  }

 private:
  const bool joins_every_call_;
};

// gRPC wants to own a factory for each channel; an application's serves many.
class SharedFactory final : public Factory {
 public:
  explicit SharedFactory(std::shared_ptr<Factory> shared) : shared_(std::move(shared)) {}
  Interceptor* CreateClientInterceptor(ClientRpcInfo* call) override {
    return is_creating_own_call ? nullptr : shared_->CreateClientInterceptor(call);
  }

 private:
  const std::shared_ptr<Factory> shared_;
};

}  // namespace

std::vector<std::unique_ptr<Factory>> InterceptorsForConnection(
    const SharedInterceptors& applications) {
  std::vector<std::unique_ptr<Factory>> factories;
  factories.push_back(
      std::make_unique<QueueReleaserFactory>(/*joins_every_call=*/!applications.empty()));
  for (const std::shared_ptr<Factory>& factory : applications) {
    factories.push_back(std::make_unique<SharedFactory>(factory));
  }
  return factories;
}

DeferredCreation::DeferredCreation() : before_(std::exchange(is_creating_deferred_call, true)) {}

DeferredCreation::~DeferredCreation() { is_creating_deferred_call = before_; }

WithoutInterceptors::WithoutInterceptors() { is_creating_own_call = true; }
WithoutInterceptors::~WithoutInterceptors() { is_creating_own_call = false; }

void HoldForParkedBatch(grpc::CompletionQueue& queue) { GrpcAccess::Hold(queue); }

void StartParkedBatch(grpc::internal::CallOpSetInterface* batch, grpc::internal::Call* call) {
  held_queue = call->cq();
  batch->FillOps(call);
  HOLDFAST_CHECK(held_queue == nullptr);
}

}  // namespace holdfast
