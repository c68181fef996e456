// What routing and balancing may know of a call.
#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

struct RoutedCall {
  absl::string_view path;  // "/acme.Pay/Charge"
  // The metadata of the application, as gRPC keeps it: names in lower case, repeated ones in order.
  const std::multimap<std::string, std::string>& metadata;
};

}  // namespace holdfast
