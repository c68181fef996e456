// The JSON of /api/v1: what docs/reference/api.md says.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "holdfast/control/control_plane.h"

namespace holdfast {

// "cds" for clusters, and so on for the four types; else the name of the type itself.
std::string ApiTypeName(absl::string_view type);

std::string ClientsJson(absl::Time now, const ControlPlaneHealth& health,
                        const std::vector<ClientReport>& clients);

}  // namespace holdfast
