// One ADS stream over gRPC: a call, its operations and their order.
//
// All of it happens on the loop thread. The call outlives whoever opened it for as long as gRPC has
// operations of it pending; after Abandon it says nothing more.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/pending_op.h"

namespace holdfast {

class AdsCall final : public std::enable_shared_from_this<AdsCall> {
 public:
  // Whose call it is. Each may abandon the call, or go away, while it is told.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnCallSent() = 0;
    // `pieces` live until this returns.
    virtual void OnCallMessage(absl::Span<const absl::string_view> pieces) = 0;
    // The last news. `was_started`: it had a connection to begin with.
    virtual void OnCallEnded(const absl::Status& status, bool was_started) = 0;
  };

  // Starts the call: it fails at once if there is no connection and the last attempt to make one
  // failed. `owner` must live until it is told of the end or abandons the call.
  static std::shared_ptr<AdsCall> Start(grpc::GenericStub& stub, grpc::CompletionQueue* queue,
                                        Owner& owner);

  explicit AdsCall(Owner& owner) : owner_(&owner) {}

  // As in AdsTransport.
  void Send(absl::string_view message);
  void Read();
  // Ends the call; its owner hears no more of it.
  void Abandon();

 private:
  // Operations wait for the start: gRPC says whether there is a connection before it takes more.
  enum class Stage { kStarting, kOpen, kEnding };

  void WriteNow(const grpc::ByteBuffer& message);
  void ReadNow();
  void Finish();

  void OnStarted(bool ok);
  void OnWritten(bool ok);
  void OnRead(bool ok);
  void OnFinished(bool ok);

  Owner* owner_;  // null: abandoned
  Stage stage_ = Stage::kStarting;
  bool was_started_ = false;
  std::optional<grpc::ByteBuffer> send_when_open_;
  bool read_when_open_ = false;

  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::ByteBuffer incoming_;
  grpc::Status status_;
  PendingOp<AdsCall> start_{&AdsCall::OnStarted};
  PendingOp<AdsCall> write_{&AdsCall::OnWritten};
  PendingOp<AdsCall> read_{&AdsCall::OnRead};
  PendingOp<AdsCall> finish_{&AdsCall::OnFinished};
};

}  // namespace holdfast
