#include "runtime/ads_call.h"

#include <grpcpp/support/slice.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr char kMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";

// Of a status text: what gRPC says of several addresses, and no more than a log line can bear.
constexpr size_t kMostReasonBytes = 2048;

absl::Status ToAbslStatus(const grpc::Status& status) {
  // A server may send any number; to absl one that it does not know is UNKNOWN.
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      BoundedText(status.error_message(), kMostReasonBytes));
}

}  // namespace

std::shared_ptr<AdsCall> AdsCall::Start(grpc::GenericStub& stub, grpc::CompletionQueue* queue,
                                        Owner& owner) {
  auto call = std::make_shared<AdsCall>(owner);
  call->stream_ = stub.PrepareCall(&call->context_, kMethod, queue);
  call->stream_->StartCall(call->start_.Begin(call));
  return call;
}

void AdsCall::Send(absl::string_view message) {
  HOLDFAST_CHECK(!write_.is_pending() && !send_when_open_.has_value());
  const grpc::Slice slice(message.data(), message.size());
  const grpc::ByteBuffer buffer(&slice, 1);
  if (stage_ == Stage::kStarting) send_when_open_ = buffer;
  if (stage_ == Stage::kOpen) WriteNow(buffer);
}

void AdsCall::Read() {
  HOLDFAST_CHECK(!read_.is_pending() && !read_when_open_);
  if (stage_ == Stage::kStarting) read_when_open_ = true;
  if (stage_ == Stage::kOpen) ReadNow();
}

void AdsCall::Abandon() {
  owner_ = nullptr;
  context_.TryCancel();
}

void AdsCall::WriteNow(const grpc::ByteBuffer& message) {
  stream_->Write(message, write_.Begin(shared_from_this()));
}

void AdsCall::ReadNow() { stream_->Read(&incoming_, read_.Begin(shared_from_this())); }

void AdsCall::Finish() {
  stage_ = Stage::kEnding;
  stream_->Finish(&status_, finish_.Begin(shared_from_this()));
}

void AdsCall::OnStarted(bool ok) {
  if (owner_ == nullptr) return;
  if (!ok) {
    Finish();
    return;
  }
  stage_ = Stage::kOpen;
  was_started_ = true;
  if (send_when_open_.has_value()) WriteNow(*send_when_open_);
  send_when_open_.reset();
  if (std::exchange(read_when_open_, false)) ReadNow();
}

void AdsCall::OnWritten(bool ok) {
  // A write fails because the call ended. There may still be messages before its end, so reading
  // finds it: Finish would wait for them to be read.
  if (owner_ != nullptr && ok) owner_->OnCallSent();
}

void AdsCall::OnRead(bool ok) {
  if (owner_ == nullptr) return;
  if (!ok) {
    Finish();
    return;
  }
  // Ours, whatever the owner does while it looks at them. Not joined: a response may be large, and
  // is read once.
  std::vector<grpc::Slice> slices;
  // Fails only for a buffer without a message, and this one was just read.
  HOLDFAST_CHECK(incoming_.Dump(&slices).ok());
  incoming_.Clear();
  std::vector<absl::string_view> pieces;
  pieces.reserve(slices.size());
  for (const grpc::Slice& slice : slices) {
    pieces.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  owner_->OnCallMessage(pieces);
}

void AdsCall::OnFinished(bool) {
  if (owner_ == nullptr) return;
  std::exchange(owner_, nullptr)->OnCallEnded(ToAbslStatus(status_), was_started_);
}

}  // namespace holdfast
