// Which virtual host of a route configuration speaks for an authority (gRFC A28).
#pragma once

#include "absl/strings/string_view.h"
#include "resources/route_config.h"

namespace holdfast {

// The best match, or null: exact, then "*suffix", then "prefix*", then "*"; among equals the
// longest pattern, then the first. Points into `config`.
const VirtualHost* FindVirtualHost(const RouteConfig& config, absl::string_view authority);

}  // namespace holdfast
