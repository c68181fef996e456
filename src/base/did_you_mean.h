// The word that somebody who mistyped one probably meant.
//
//   DidYouMean("xds_server", {"node", "xds_servers"})   // "xds_servers"
//   DidYouMean("frobnicate", {"node", "xds_servers"})   // nullopt
//
// A slip is a letter too many, too few, wrong, or two swapped. Case and "-" for "_" are free. At
// most two slips count, and never more than a third of the word: a far-fetched suggestion is worse
// than none.
#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace holdfast {

// The nearest of `known`, the first one if several are equally near. nullopt if none is near, or if
// `word` itself is among them.
std::optional<absl::string_view> DidYouMean(absl::string_view word,
                                            absl::Span<const absl::string_view> known);

}  // namespace holdfast
