#include "observe/csds_service.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "wire/csds.h"

namespace holdfast {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

// A request says little. What is more would be copied, and made something many times as large.
constexpr size_t kMostRequestBytes = size_t{1} << 20;

// gRPC keeps the string itself: the answer may be large.
grpc::ByteBuffer BufferOf(std::string bytes) {
  auto owned = std::make_unique<std::string>(std::move(bytes));
  std::string* const text = owned.release();
  const grpc::Slice slice(
      text->data(), text->size(), [](void* string) { delete static_cast<std::string*>(string); },
      text);
  return grpc::ByteBuffer(&slice, 1);
}

grpc::Status AnswerOf(const ClientSource& clients, const grpc::ByteBuffer& request,
                      grpc::ByteBuffer& response) {
  if (request.Length() > kMostRequestBytes) {
    return grpc::Status(
        grpc::StatusCode::RESOURCE_EXHAUSTED,
        absl::StrCat("client status request has ", request.Length(), " bytes, more than ",
                     kMostRequestBytes, " (a limit without an option)"));
  }
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
  const absl::StatusOr<std::vector<ClientStatus>> shown = clients();
  if (!shown.ok()) return ToGrpc(shown.status());
  absl::StatusOr<std::string> answer = EncodeClientStatusResponse(
      *shown,
      asked->exclude_resource_contents ? ResourceContents::kExcluded : ResourceContents::kIncluded);
  if (!answer.ok()) return ToGrpc(answer.status());
  response = BufferOf(*std::move(answer));
  return grpc::Status::OK;
}

// Reads a request, writes its answer, and again. Deletes itself when gRPC is done with it.
class StatusStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit StatusStream(CsdsService& service) : service_(service) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);  // the peer has no more requests, or is gone
    const grpc::Status status = service_.Answer(request_, response_);
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
  CsdsService& service_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

}  // namespace

grpc::Status CsdsService::Answer(const grpc::ByteBuffer& request, grpc::ByteBuffer& response) {
  if (at_a_time_ == AtATime::kMany) return AnswerOf(clients_, request, response);
  if (is_answering_.exchange(true)) {
    return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                        "somebody else is just told the status of all clients, and one at a time "
                        "is; ask again");
  }
  const grpc::Status status = AnswerOf(clients_, request, response);
  is_answering_ = false;
  return status;
}

grpc::ServerUnaryReactor* CsdsService::FetchClientStatus(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(Answer(*request, *response));
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CsdsService::StreamClientStatus(
    grpc::CallbackServerContext*) {
  return new StatusStream(*this);
}

}  // namespace holdfast
