// One ADS stream as gRPC serves it: a call, its operations and their order. Bytes in, bytes out.
//
// All of it happens on the loop thread of one worker. The call outlives its owner for as long as
// gRPC has operations of it pending.
#pragma once

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "control/session/session_types.h"
#include "runtime/pending_op.h"

namespace holdfast {

// The two methods of envoy.service.discovery.v3.AggregatedDiscoveryService, raw, beside whatever
// else a server serves.
class AdsMethods final : public grpc::Service {
 public:
  AdsMethods();

  using Stream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  // REQUIRES: the server was started.
  void Request(Variant variant, grpc::ServerContext* context, Stream* stream,
               grpc::ServerCompletionQueue* queue, void* tag);
};

class AdsServerCall final : public std::enable_shared_from_this<AdsServerCall> {
 public:
  // Whose call it is. Each may abandon the call, or go away, while it is told.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnCallMessage(const grpc::ByteBuffer& message) = 0;
    virtual void OnCallWritten() = 0;
    // The client says nothing more: it closed its half, or is gone.
    virtual void OnCallDeserted() = 0;
    // The last news: what Finish said is on its way, or there is nobody to hear it.
    virtual void OnCallFinished() = 0;
  };

  // Called once: with the call when a client opened it; with null if the server shuts down.
  using Opened = std::function<void(std::shared_ptr<AdsServerCall>)>;

  // Waits for the next call of this method, on the queue of the loop, whose thread this is.
  static void Await(AdsMethods& methods, Variant variant, grpc::ServerCompletionQueue* queue,
                    Opened opened);

  explicit AdsServerCall(Opened opened) : opened_(std::move(opened)), stream_(&context_) {}

  // From now on this one is told. It must live until OnCallFinished, or abandon the call.
  void SetOwner(Owner& owner) { owner_ = &owner; }

  // "ipv4:127.0.0.1:43210"
  std::string peer() const { return context_.peer(); }

  // The next message. REQUIRES: none is being waited for.
  void Read();
  // REQUIRES: the one before was written, and Finish was not called.
  void Write(const grpc::ByteBuffer& message);
  // After what is being written. Once.
  void Finish(const absl::Status& status);
  // Ends it for both sides, whatever is pending; OnCallFinished comes soon after Finish.
  void Cancel() { context_.TryCancel(); }
  // The owner hears no more of it, and no operation is started any more.
  void Abandon();

 private:
  void FinishNow(const absl::Status& status);

  void OnOpened(bool ok);
  void OnRead(bool ok);
  void OnWritten(bool ok);
  void OnFinished(bool ok);

  Opened opened_;
  Owner* owner_ = nullptr;
  std::optional<absl::Status> finish_when_written_;

  grpc::ServerContext context_;
  AdsMethods::Stream stream_;
  grpc::ByteBuffer incoming_;
  PendingOp<AdsServerCall> open_{&AdsServerCall::OnOpened};
  PendingOp<AdsServerCall> read_{&AdsServerCall::OnRead};
  PendingOp<AdsServerCall> write_{&AdsServerCall::OnWritten};
  PendingOp<AdsServerCall> finish_{&AdsServerCall::OnFinished};
};

}  // namespace holdfast
