// What full_filters.py's filters are to us.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "resources/http_filter.h"

namespace holdfast {

// HTTP 404 is UNIMPLEMENTED (12) in gRPC's table.
inline FaultFilter FaultByValue() {
  return {
      .abort = FaultFilter::Abort{.grpc_code = 12, .per_million = 220'000},
      .delay = FaultFilter::Delay{.fixed = absl::Milliseconds(3250), .per_million = 110'000},
      .headers = {{.name = "x-fault",
                   .rule =
                       StringMatcher{.kind = StringMatcher::Kind::kExact, .pattern = "please"}}},
      .max_active_faults = 33,
  };
}

inline FaultFilter FaultByGrpcStatus() {
  return {.abort = FaultFilter::Abort{.grpc_code = 14, .per_million = 440'000}};
}

inline FaultFilter FaultByHeader() {
  return {
      .abort = FaultFilter::Abort{.from_headers = true, .per_million = 660'000},
      .delay = FaultFilter::Delay{.from_headers = true, .per_million = 550'000},
  };
}

inline StatefulSessionFilter StatefulSession(std::string cookie_name, int ttl_seconds,
                                             std::string path) {
  return {.cookie_name = std::move(cookie_name),
          .cookie_path = std::move(path),
          .cookie_ttl = absl::Seconds(ttl_seconds)};
}

inline StatefulSessionOverride SessionOff() { return {}; }

inline StatefulSessionOverride SessionOverride(std::string cookie_name, int ttl_seconds,
                                               std::string path) {
  return {StatefulSession(std::move(cookie_name), ttl_seconds, std::move(path))};
}

}  // namespace holdfast
