#include "channel/config/unusable.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Enough to see what kind of names there are.
constexpr size_t kMostListed = 5;

// "a", "b" and 7 more
std::string Listed(const std::vector<std::string>& items, absl::string_view separator) {
  const size_t shown = std::min(items.size(), kMostListed);
  std::string text =
      absl::StrJoin(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(shown), separator);
  if (shown < items.size()) absl::StrAppend(&text, " and ", items.size() - shown, " more");
  return text;
}

absl::Status Unusable(absl::string_view node_id, absl::string_view what,
                      absl::string_view consequence, const std::vector<NotePart>& above = {}) {
  return absl::UnavailableError(
      absl::StrCat(what, "; ", consequence,
                   above.empty() ? NodeSuffix(node_id)
                                 : absl::StrCat(" (", ResolutionNote(above, node_id), ")")));
}

std::string InTarget(const Audience& audience) {
  return absl::StrCat("target ", Quoted(audience.target), ": ");
}

}  // namespace

absl::Status ChannelUnusable(const Audience& audience, const Dependency& what,
                             absl::string_view text) {
  return Unusable(audience.node_id,
                  absl::StrCat(InTarget(audience), Quote(what, text, audience.node_id)),
                  "calls fail until it can be had");
}

absl::Status NoVirtualHost(const Audience& audience, const Dependency& where,
                           const RouteConfig& routes, absl::string_view authority,
                           const std::vector<NotePart>& above) {
  std::vector<std::string> domains;
  for (const VirtualHost& host : routes.virtual_hosts) {
    for (const std::string& domain : host.domains) domains.push_back(Quoted(domain));
  }
  return Unusable(
      audience.node_id,
      absl::StrCat(InTarget(audience), TextOf(where),
                   where.kind == DependencyKind::kListener ? ": its route configuration" : "",
                   ": no virtual host speaks for the authority ", Quoted(authority), " (",
                   domains.empty() ? "there is none at all"
                                   : absl::StrCat("their domains are ", Listed(domains, ", ")),
                   ")"),
      "calls fail until one does", above);
}

absl::Status ClusterUnusable(absl::string_view node_id, absl::string_view cluster,
                             absl::string_view text) {
  return Unusable(node_id, Quote({DependencyKind::kCluster, std::string(cluster)}, text, node_id),
                  "calls to it fail until it can be had");
}

absl::Status AggregateTooDeep(absl::string_view node_id, absl::string_view cluster,
                              absl::string_view at) {
  return Unusable(
      node_id,
      absl::StrCat("cluster ", Quoted(cluster), ": more than ", kMostAggregateLevels,
                   " clusters are inside one another (the next would be ", Quoted(at), ")"),
      "calls to it fail until there are fewer");
}

absl::Status AggregateWithoutLeaves(absl::string_view node_id, absl::string_view cluster,
                                    const std::vector<std::string>& reasons) {
  return Unusable(node_id,
                  absl::StrCat("cluster ", Quoted(cluster), ": ",
                               reasons.empty() ? "an aggregate in which there are only aggregates"
                                               : absl::StrCat("no member can be used: ",
                                                              Listed(reasons, "; "))),
                  "calls to it fail until one can");
}

}  // namespace holdfast
