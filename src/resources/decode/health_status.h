// Health as endpoints and override_host_status spell it.
#pragma once

#include <optional>

#include "resources/endpoints.h"

namespace holdfast {

// A value of envoy.config.core.v3.HealthStatus. nullopt for those that mean "send nothing there":
// UNHEALTHY, TIMEOUT, DEGRADED and any that our schema does not know.
std::optional<HealthStatus> KeptHealthStatus(int status);

}  // namespace holdfast
