#include "observe/health_service.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// Says one thing and stays until the peer cancels: a stream that ended would be asked for again.
class HealthWatch final : public grpc::ServerWriteReactor<HealthCheckResponse> {
 public:
  explicit HealthWatch(HealthCheckResponse::ServingStatus status) {
    response_.set_status(status);
    StartWrite(&response_);
  }

  // Comes once, also when the write failed, because nobody else ends this call.
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

 private:
  HealthCheckResponse response_;
};

}  // namespace

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (Serves(request->service())) {
    response->set_status(HealthCheckResponse::SERVING);
    reactor->Finish(grpc::Status::OK);
  } else {
    reactor->Finish(grpc::Status(
        grpc::StatusCode::NOT_FOUND,
        absl::StrCat("service ", Quoted(request->service()), " is not known here; known are \"\", ",
                     absl::StrJoin(services_, ", "))));
  }
  return reactor;
}

grpc::ServerWriteReactor<HealthCheckResponse>* HealthService::Watch(
    grpc::CallbackServerContext*, const HealthCheckRequest* request) {
  return new HealthWatch(Serves(request->service()) ? HealthCheckResponse::SERVING
                                                    : HealthCheckResponse::SERVICE_UNKNOWN);
}

}  // namespace holdfast
