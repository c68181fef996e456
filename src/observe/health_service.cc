#include "observe/health_service.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"

namespace holdfast {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

// Stays until the peer cancels, also for a service that is not known: a stream that ended would be
// asked for again. What it is told and what gRPC tells it come under the mutex of the service;
// gRPC never calls back from within StartWrite or Finish.
class HealthService::OpenWatch final : public grpc::ServerWriteReactor<HealthCheckResponse> {
 public:
  explicit OpenWatch(HealthService& service) : service_(service) {}

  // REQUIRES: the mutex of the service is held; so for WriteNews.
  void Tell(HealthCheckResponse::ServingStatus status) {
    newest_ = status;
    WriteNews();
  }

  void OnWriteDone(bool ok) override {
    const absl::MutexLock lock(&service_.mutex_);
    is_writing_ = false;
    // If not, the peer is gone, and OnCancel says so.
    if (ok) WriteNews();
  }
  // Comes once, also when a write failed, because nobody else ends this call.
  void OnCancel() override {
    const absl::MutexLock lock(&service_.mutex_);
    is_over_ = true;
    Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    {
      const absl::MutexLock lock(&service_.mutex_);
      service_.watches_.erase(this);
    }
    delete this;
  }

 private:
  void WriteNews() {
    if (is_over_ || is_writing_ || response_.status() == newest_) return;
    is_writing_ = true;
    response_.set_status(newest_);
    StartWrite(&response_);
  }

  HealthService& service_;
  HealthCheckResponse response_;  // UNKNOWN until the first, and that is never said
  HealthCheckResponse::ServingStatus newest_ = HealthCheckResponse::UNKNOWN;
  bool is_writing_ = false;
  bool is_over_ = false;
};

HealthCheckResponse::ServingStatus HealthService::Status() const {
  return is_serving_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthService::SetServing(bool is_serving) {
  const absl::MutexLock lock(&mutex_);
  if (is_serving_ == is_serving) return;
  is_serving_ = is_serving;
  for (OpenWatch* const watch : watches_) watch->Tell(Status());
}

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (Knows(request->service())) {
    {
      const absl::MutexLock lock(&mutex_);
      response->set_status(Status());
    }
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
  auto* const watch = new OpenWatch(*this);
  const absl::MutexLock lock(&mutex_);
  if (Knows(request->service())) {
    watches_.insert(watch);
    watch->Tell(Status());
  } else {
    watch->Tell(HealthCheckResponse::SERVICE_UNKNOWN);
  }
  return watch;
}

}  // namespace holdfast
