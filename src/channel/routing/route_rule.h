// What a route demands of a call besides what the path index has looked at: headers, the whole of a
// regex, luck.
//
// Immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/chance.h"
#include "channel/routing/header_match.h"
#include "channel/routing/routed_call.h"
#include "resources/route_config.h"

namespace holdfast {

class RouteRule {
 public:
  // `names` outlives this.
  RouteRule(const RouteMatch& match, HeaderNames& names);
  ~RouteRule();
  RouteRule(RouteRule&&) noexcept;

  // `headers` are those of the call, made when the first route asks. Chance is asked last, and only
  // by a route that takes some calls and not others.
  bool Accepts(const RoutedCall& call, std::optional<CallHeaders>& headers, Chance chance) const;

 private:
  std::vector<HeaderRule> headers_;
  std::unique_ptr<const re2::RE2> path_;  // null: the index knows all about the path
  std::optional<uint32_t> per_million_;
};

}  // namespace holdfast
