#include "control/config/resource_names.h"

#include "absl/status/statusor.h"
#include "xds/resource_name.h"

namespace holdfast {

absl::Status CheckResourceName(absl::string_view name, absl::string_view type) {
  if (name.empty()) return absl::InvalidArgumentError("must not be empty");
  if (name == "*") {
    return absl::InvalidArgumentError("must not be \"*\", with which clients ask for everything");
  }
  return ResourceName::Parse(name, type).status();
}

}  // namespace holdfast
