// The JSON of /api/v1: what docs/reference/api.md says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "holdfast/control/control_plane.h"

namespace holdfast {

// "cds" for clusters, and so on for the four types; else the name of the type itself.
std::string ApiTypeName(absl::string_view type);

// The other way round: what a query's `type` means. INVALID_ARGUMENT, with a suggestion, for what
// is neither one of the four nor looks like the name of a type.
absl::StatusOr<std::string> TypeOfApiName(absl::string_view name);

// At most `most_resources` of all clients together, shared out evenly: of each there is something
// to see. How many more a client has is said there.
std::string ClientsJson(absl::Time now, const ControlPlaneHealth& health,
                        const ClientsReport& report, size_t most_resources);
// `with_links`: what a resource refers to was asked for.
std::string ResourcesJson(absl::Time now, const ControlPlaneHealth& health,
                          const ResourcesReport& report, bool with_links);
// At most kMostErrors, and how many more there are.
inline constexpr size_t kMostErrors = 10'000;
std::string ErrorsJson(absl::Time now, const ControlPlaneHealth& health,
                       const ErrorsReport& report);

}  // namespace holdfast
