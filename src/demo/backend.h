// A server to call, which can die and come back at the same address: answers health checks.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "demo/reserved_port.h"
#include "observe/health_service.h"

namespace grpc {
class Server;
}

namespace holdfast {

class Backend {
 public:
  Backend();
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& address() const { return port_.address(); }

  // Both do nothing if it is so already. After Kill() connections are refused.
  absl::Status Start();
  void Kill();

 private:
  const ReservedPort port_;
  HealthService health_{{}};
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast
