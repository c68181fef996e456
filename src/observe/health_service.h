// grpc.health.v1.Health for services that are always well: while the server answers, they serve.
//
// Thread-safe. A Watch hears once, because nothing ever changes, and then costs memory but no
// thread until the peer cancels it.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "grpc/health/v1/health.grpc.pb.h"

namespace holdfast {

class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  // Besides "", which is the server as a whole.
  explicit HealthService(std::set<std::string> services) : services_(std::move(services)) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* context,
      const grpc::health::v1::HealthCheckRequest* request) override;

 private:
  bool Serves(const std::string& service) const {
    return service.empty() || services_.contains(service);
  }

  const std::set<std::string> services_;
};

}  // namespace holdfast
