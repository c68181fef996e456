#include "channel/routing/route_rule.h"

#include <re2/re2.h>

namespace holdfast {
namespace {

constexpr uint32_t kMillion = 1'000'000;

}  // namespace

RouteRule::RouteRule(const RouteMatch& match, HeaderNames& names) {
  headers_.reserve(match.headers.size());
  for (const HeaderMatcher& matcher : match.headers) headers_.emplace_back(matcher, names);
  if (match.kind == RouteMatch::PathKind::kSafeRegex) {
    path_ = std::make_unique<const RE2>(match.path, RE2::Quiet);
  }
  if (match.per_million.has_value() && *match.per_million < kMillion) {
    per_million_ = match.per_million;
  }
}

RouteRule::~RouteRule() = default;
RouteRule::RouteRule(RouteRule&&) noexcept = default;

bool RouteRule::Accepts(const RoutedCall& call, std::optional<CallHeaders>& headers,
                        Chance chance) const {
  if (!headers_.empty()) {
    if (!headers.has_value()) headers.emplace(call.metadata);
    for (const HeaderRule& rule : headers_) {
      if (!rule.Matches(*headers)) return false;
    }
  }
  if (path_ != nullptr &&
      !RE2::FullMatch(re2::StringPiece(call.path.data(), call.path.size()), *path_)) {
    return false;
  }
  return !per_million_.has_value() || chance(kMillion) < *per_million_;
}

}  // namespace holdfast
