#include "base/did_you_mean.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"

namespace holdfast {
namespace {

constexpr size_t kMostSlips = 2;

std::string Folded(absl::string_view word) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(word), {{"-", "_"}});
}

// Slips between the words ("optimal string alignment"), row by row of the usual table. More than
// kMostSlips are not counted exactly: no row's minimum is below that of the row before.
size_t Slips(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    size_t fewest = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
      fewest = std::min(fewest, row[j]);
    }
    if (fewest > kMostSlips) return fewest;
  }
  return row[b.size()];
}

}  // namespace

std::optional<absl::string_view> DidYouMean(absl::string_view word,
                                            absl::Span<const absl::string_view> known) {
  std::optional<absl::string_view> nearest;
  size_t fewest = kMostSlips + 1;
  std::optional<std::string> folded;  // only once it is needed: the word may be huge
  for (const absl::string_view candidate : known) {
    if (candidate == word) return std::nullopt;
    const size_t shorter = std::min(candidate.size(), word.size());
    const size_t longer = std::max(candidate.size(), word.size());
    // Also keeps a huge word from a huge table.
    if (longer - shorter > kMostSlips) continue;
    if (!folded.has_value()) folded = Folded(word);
    const size_t slips = Slips(*folded, Folded(candidate));
    if (slips >= fewest || slips * 3 > longer) continue;
    fewest = slips;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace holdfast
