// grpc.health.v1.Health for a server whose services are well, or not, together.
//
// A Watch hears what is so, and then each change; between changes it costs memory but no thread,
// until the peer cancels it. Who reads slowly hears the newest status, not all of them.
//
// Thread-safe.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace holdfast {

// Must outlive the server it is registered with.
class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  // `services` besides "", which is the server as a whole.
  explicit HealthService(std::set<std::string> services, bool is_serving = true)
      : services_(std::move(services)), is_serving_(is_serving) {}

  void SetServing(bool is_serving);

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* context,
      const grpc::health::v1::HealthCheckRequest* request) override;

 private:
  class OpenWatch;

  bool Knows(const std::string& service) const {
    return service.empty() || services_.contains(service);
  }
  grpc::health::v1::HealthCheckResponse::ServingStatus Status() const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::set<std::string> services_;
  absl::Mutex mutex_;
  bool is_serving_ ABSL_GUARDED_BY(mutex_);
  std::set<OpenWatch*> watches_ ABSL_GUARDED_BY(mutex_);  // of known services
};

}  // namespace holdfast
