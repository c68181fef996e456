// TYPE/NAME, as people write a resource on the command line: "cds/pay".
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xds/any_resource_type.h"

namespace holdfast {

struct ResourceRef {
  const AnyResourceType* type;
  std::string short_type;  // "cds"
  std::string name;        // everything behind the first slash

  // "cds/pay"
  std::string Text() const { return short_type + "/" + name; }

  friend bool operator==(const ResourceRef&, const ResourceRef&) = default;
};

// INVALID_ARGUMENT with what is wrong, and with what was probably meant.
absl::StatusOr<ResourceRef> ParseResourceRef(absl::string_view text);

}  // namespace holdfast
