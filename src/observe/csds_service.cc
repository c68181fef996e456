#include "observe/csds_service.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "wire/csds.h"

namespace holdfast {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

// gRPC keeps the string itself: the answer may be large.
grpc::ByteBuffer BufferOf(std::string bytes) {
  auto owned = std::make_unique<std::string>(std::move(bytes));
  std::string* const text = owned.release();
  const grpc::Slice slice(
      text->data(), text->size(), [](void* string) { delete static_cast<std::string*>(string); },
      text);
  return grpc::ByteBuffer(&slice, 1);
}

grpc::Status Answer(const ClientSource& clients, const grpc::ByteBuffer& request,
                    grpc::ByteBuffer& response) {
  grpc::Slice slice;
  const grpc::Status dumped = request.DumpToSingleSlice(&slice);
  if (!dumped.ok()) return dumped;
  const absl::StatusOr<ClientStatusRequest> asked = ParseClientStatusRequest(
      absl::string_view(reinterpret_cast<const char*>(slice.begin()), slice.size()));
  if (!asked.ok()) return ToGrpc(asked.status());
  if (asked->has_node_matchers) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                        "node_matchers: not supported, must be empty; every client of this process "
                        "is shown");
  }
  absl::StatusOr<std::string> answer = EncodeClientStatusResponse(
      clients(),
      asked->exclude_resource_contents ? ResourceContents::kExcluded : ResourceContents::kIncluded);
  if (!answer.ok()) return ToGrpc(answer.status());
  response = BufferOf(*std::move(answer));
  return grpc::Status::OK;
}

// Reads a request, writes its answer, and again. Deletes itself when gRPC is done with it.
class StatusStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit StatusStream(const ClientSource& clients) : clients_(clients) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);  // the peer has no more requests, or is gone
    const grpc::Status status = Answer(clients_, request_, response_);
    if (!status.ok()) return Finish(status);
    StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    response_.Clear();
    if (!ok) return Finish(grpc::Status::OK);  // to nobody: the call is gone
    StartRead(&request_);
  }

  void OnDone() override { delete this; }

 private:
  const ClientSource& clients_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace

grpc::ServerUnaryReactor* CsdsService::FetchClientStatus(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(Answer(clients_, *request, *response));
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CsdsService::StreamClientStatus(
    grpc::CallbackServerContext*) {
  return new StatusStream(clients_);
}

}  // namespace holdfast
