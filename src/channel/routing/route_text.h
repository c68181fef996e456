// Routes in words, for errors and logs.
#pragma once

#include <string>
#include <vector>

#include "resources/route_config.h"

namespace holdfast {

// `route "canary" (prefix "/acme.Pay/", 2 headers, 5% of calls)`; without a name `route (...)`.
std::string RouteText(const Route& route);

// What a virtual host and its routes ask for that is not done, one sentence each: retry and hash
// policies, auto_host_rewrite, overrides of filters that would do something.
std::vector<std::string> NotEnforced(const VirtualHost& virtual_host);

}  // namespace holdfast
