// Which glob collection a name is in: one look instead of a try of each. The last segment of a
// name decides alone, so there is never more than one.
//
//   xdstp://x/envoy.config.cluster.v3.Cluster/eu/paris?a=1  is in  xdstp://x/…/eu/*?a=1
//   \_____________ its directory ________________/
//
// Pure text: names are canonical (R1.91), as those of the catalog and of subscriptions are. Whether
// they are well-formed is not looked at.
#pragma once

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "control/catalog/sorted_chunks.h"

namespace holdfast {

// "" for what is in none: an old-style name, a glob.
std::string GlobOf(absl::string_view name);

// Of a glob: what its members begin with.
absl::string_view DirectoryOf(absl::string_view glob);

// The names in it, and in those below it.
template <class Entry, class Visit>
void ForEachBelow(absl::string_view directory, const SortedChunks<Entry>& entries, Visit visit) {
  for (auto at = entries.LowerBound(directory); at != entries.end(); ++at) {
    const std::string& name = EntryName(*at);
    if (!absl::StartsWith(name, directory)) return;
    visit(name);
  }
}

}  // namespace holdfast
