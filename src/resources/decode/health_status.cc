#include "resources/decode/health_status.h"

#include "envoy/config/core/v3/core.pb.h"

namespace holdfast {

std::optional<HealthStatus> KeptHealthStatus(int status) {
  switch (status) {
    case envoy::config::core::v3::UNKNOWN:
      return HealthStatus::kUnknown;
    case envoy::config::core::v3::HEALTHY:
      return HealthStatus::kHealthy;
    case envoy::config::core::v3::DRAINING:
      return HealthStatus::kDraining;
    default:
      return std::nullopt;
  }
}

}  // namespace holdfast
