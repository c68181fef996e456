// grpc.health.v1.Health/Check through a Holdfast channel, one call at a time.
#pragma once

#include <grpcpp/completion_queue.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace holdfast {

struct ProbeResult {
  std::string code;     // "OK", "UNAVAILABLE"
  std::string message;  // of the status; or, where the service says so, that it is not serving
  std::string peer;     // "ipv4:127.0.0.1:9001"; empty if none was reached
  absl::Duration took;
  absl::Time when;

  bool is_ok() const { return code == "OK"; }
};

// One object a line, as interfaces have it; or a line for people.
std::string JsonLine(const ProbeResult& result);
std::string TextLine(const ProbeResult& result, bool has_colour);

class HealthProbe {
 public:
  struct Call {
    absl::Duration timeout;
    bool waits_for_ready = false;
    std::string service;
    uint32_t channel = 1;  // a new number opens another channel to the target
  };

  explicit HealthProbe(std::string target) : target_(std::move(target)) {}
  ~HealthProbe();

  // Cancels the call when `stop_event` becomes readable.
  ProbeResult Check(const Call& call, int stop_event);

 private:
  const std::string target_;
  std::map<uint32_t, std::unique_ptr<grpc::health::v1::Health::Stub>> stubs_;
  grpc::CompletionQueue queue_;
};

}  // namespace holdfast
