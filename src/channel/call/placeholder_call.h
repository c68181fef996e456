// A call that is never sent: it has a deadline, a parent and an arena, can be cancelled, and says
// when it is over. gRPC itself watches for all of that.
//
// Two things are made of it: what a deferred call stands on until it knows where to go, and a watch
// of a channel's connectivity, which ends by a change or by its deadline.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/status.h>

#include <cstdint>

namespace holdfast {

class PlaceholderCall final {
 public:
  // `parent` may be null; it cancels what it has as children, and limits their deadline, as far as
  // `inherited` says.
  PlaceholderCall(grpc_call* parent, uint32_t inherited, grpc::CompletionQueue* queue,
                  gpr_timespec deadline);
  ~PlaceholderCall();
  PlaceholderCall(const PlaceholderCall&) = delete;
  PlaceholderCall& operator=(const PlaceholderCall&) = delete;

  // `over` comes out of the queue when the call is over, for whatever reason. Any thread may do
  // this on any queue. Once; this object and `over` live until then.
  void Begin(grpc::internal::CompletionQueueTag* over);

  // It is needed no longer; if it is not over yet, it is now. Thread-safe, may be repeated.
  void Release();

  // What ended it. Only when `over` came out.
  bool WasReleased() const;
  grpc::Status End() const;

  // The caller may take references of its own.
  grpc_call* get() const { return call_; }

 private:
  grpc_call* const call_;
  grpc_metadata_array metadata_;  // always empty, but gRPC wants to write it
  grpc_status_code code_ = GRPC_STATUS_OK;
  grpc_slice message_;
};

}  // namespace holdfast
