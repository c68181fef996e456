#include "control/ads_server_call.h"

#include <grpcpp/impl/rpc_service_method.h>

#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

// By the number of the method in AdsMethods.
constexpr const char* kMethodNames[] = {
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
};

int MethodOf(Variant variant) { return variant == Variant::kSotw ? 0 : 1; }

grpc::Status ToGrpcStatus(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

}  // namespace

AdsMethods::AdsMethods() {
  int number = 0;
  for (const char* name : kMethodNames) {
    AddMethod(new grpc::internal::RpcServiceMethod(name, grpc::internal::RpcMethod::BIDI_STREAMING,
                                                   /*handler=*/nullptr));
    MarkMethodRaw(number++);
  }
}

void AdsMethods::Request(Variant variant, grpc::ServerContext* context, Stream* stream,
                         grpc::ServerCompletionQueue* queue, void* tag) {
  RequestAsyncBidiStreaming(MethodOf(variant), context, stream, queue, queue, tag);
}

void AdsServerCall::Await(AdsMethods& methods, Variant variant, grpc::ServerCompletionQueue* queue,
                          Opened opened) {
  const auto call = std::make_shared<AdsServerCall>(std::move(opened));
  methods.Request(variant, &call->context_, &call->stream_, queue, call->open_.Begin(call));
}

void AdsServerCall::Read() { stream_.Read(&incoming_, read_.Begin(shared_from_this())); }

void AdsServerCall::Write(const grpc::ByteBuffer& message) {
  stream_.Write(message, write_.Begin(shared_from_this()));
}

void AdsServerCall::Finish(const absl::Status& status) {
  HOLDFAST_CHECK(!finish_.is_pending() && !finish_when_written_.has_value());
  if (write_.is_pending()) {
    finish_when_written_ = status;
  } else {
    FinishNow(status);
  }
}

void AdsServerCall::Abandon() {
  owner_ = nullptr;
  context_.TryCancel();
}

void AdsServerCall::FinishNow(const absl::Status& status) {
  stream_.Finish(ToGrpcStatus(status), finish_.Begin(shared_from_this()));
}

void AdsServerCall::OnOpened(bool ok) {
  std::exchange(opened_, nullptr)(ok ? shared_from_this() : nullptr);
}

void AdsServerCall::OnRead(bool ok) {
  if (owner_ == nullptr) return;
  if (!ok) {
    owner_->OnCallDeserted();
    return;
  }
  // Ours, whatever the owner does while it looks at it.
  const grpc::ByteBuffer message = std::exchange(incoming_, grpc::ByteBuffer());
  owner_->OnCallMessage(message);
}

void AdsServerCall::OnWritten(bool ok) {
  if (owner_ == nullptr) return;
  if (finish_when_written_.has_value()) {
    FinishNow(*finish_when_written_);
  } else if (ok) {
    // A write fails because the client is gone, and the read that is always pending says so.
    owner_->OnCallWritten();
  }
}

void AdsServerCall::OnFinished(bool) {
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->OnCallFinished();
}

}  // namespace holdfast
