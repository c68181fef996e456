#include "channel/call/placeholder_call.h"

#include <grpc/slice.h>

#include <string>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "channel/call/idle_channels.h"

namespace holdfast {
namespace {

// No one else ends a call in these words: cancelling, a deadline and a parent have their own.
constexpr grpc_status_code kReleasedCode = GRPC_STATUS_ABORTED;
constexpr char kReleasedMessage[] = "holdfast: this placeholder is not needed any more";

grpc_call* Create(grpc_call* parent, uint32_t inherited, grpc::CompletionQueue* queue,
                  gpr_timespec deadline) {
  grpc_channel* const channel = PlaceholderChannel();
  const grpc_slice path = grpc_slice_from_static_string("/holdfast/placeholder");
  return grpc_channel_create_call(channel, parent, inherited, queue->cq(), path,
                                  /*host=*/nullptr, deadline, /*reserved=*/nullptr);
}

absl::string_view Text(const grpc_slice& slice) {
  return absl::string_view(reinterpret_cast<const char*>(GRPC_SLICE_START_PTR(slice)),
                           GRPC_SLICE_LENGTH(slice));
}

}  // namespace

PlaceholderCall::PlaceholderCall(grpc_call* parent, uint32_t inherited,
                                 grpc::CompletionQueue* queue, gpr_timespec deadline)
    : call_(Create(parent, inherited, queue, deadline)), message_(grpc_empty_slice()) {
  grpc_metadata_array_init(&metadata_);
}

PlaceholderCall::~PlaceholderCall() {
  grpc_call_unref(call_);
  grpc_slice_unref(message_);
  grpc_metadata_array_destroy(&metadata_);
}

void PlaceholderCall::Begin(grpc::internal::CompletionQueueTag* over) {
  grpc_op wait_for_end{};
  wait_for_end.op = GRPC_OP_RECV_STATUS_ON_CLIENT;
  wait_for_end.data.recv_status_on_client.trailing_metadata = &metadata_;
  wait_for_end.data.recv_status_on_client.status = &code_;
  wait_for_end.data.recv_status_on_client.status_details = &message_;
  const grpc_call_error error =
      grpc_call_start_batch(call_, &wait_for_end, 1, over, /*reserved=*/nullptr);
  HOLDFAST_CHECK(error == GRPC_CALL_OK);
}

void PlaceholderCall::Release() {
  grpc_call_cancel_with_status(call_, kReleasedCode, kReleasedMessage, /*reserved=*/nullptr);
}

bool PlaceholderCall::WasReleased() const {
  return code_ == kReleasedCode && Text(message_) == kReleasedMessage;
}

grpc::Status PlaceholderCall::End() const {
  return grpc::Status(static_cast<grpc::StatusCode>(code_), std::string(Text(message_)));
}

}  // namespace holdfast
