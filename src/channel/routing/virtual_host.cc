#include "channel/routing/virtual_host.h"

#include <cstddef>
#include <string>
#include <tuple>

#include "absl/strings/match.h"

namespace holdfast {
namespace {

// How well a pattern speaks for an authority; the greater, the better.
enum class Fit { kNone, kAny, kPrefix, kSuffix, kExact };

// A star stands for at least one character, so that an authority is never shorter than a pattern
// that matches it.
Fit FitOf(absl::string_view pattern, absl::string_view authority) {
  if (pattern.empty() || authority.size() < pattern.size()) return Fit::kNone;
  if (pattern == "*") return Fit::kAny;
  if (pattern.front() == '*') {
    const bool ends_so = absl::EndsWithIgnoreCase(authority, pattern.substr(1));
    return ends_so ? Fit::kSuffix : Fit::kNone;
  }
  if (pattern.back() == '*') {
    pattern.remove_suffix(1);
    return absl::StartsWithIgnoreCase(authority, pattern) ? Fit::kPrefix : Fit::kNone;
  }
  return absl::EqualsIgnoreCase(pattern, authority) ? Fit::kExact : Fit::kNone;
}

}  // namespace

const VirtualHost* FindVirtualHost(const RouteConfig& config, absl::string_view authority) {
  const VirtualHost* best = nullptr;
  auto best_rank = std::make_tuple(Fit::kNone, size_t{0});
  for (const VirtualHost& candidate : config.virtual_hosts) {
    for (const std::string& domain : candidate.domains) {
      const auto rank = std::make_tuple(FitOf(domain, authority), domain.size());
      if (std::get<Fit>(rank) == Fit::kNone || rank <= best_rank) continue;
      best = &candidate;
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace holdfast
