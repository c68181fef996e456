// Which routes of a list may match a path, in the order of the list, without asking each.
//
//   path "/acme.Pay/Charge"
//     exact paths     "/acme.Pay/Charge" -> 3
//     prefixes        "/acme.Pay/"       -> 1, 7      each with the next shorter one that has
//                     "/"                -> 5         something to add
//   candidates        1, 3, 5, 7
//
// A regex counts as a prefix: the text that all its matches begin with. A route that takes every
// call with its path hides those behind it, which are therefore not kept.
//
// Immutable once built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "resources/route_config.h"

namespace holdfast {

// Ascending lists of positions, walked as one.
class PathCandidates {
 public:
  // Lives longer than this, and is not empty.
  void Add(absl::Span<const uint32_t> positions);
  std::optional<uint32_t> Next() {
    if (lists_.empty()) return std::nullopt;
    if (lists_.size() > 1) return NextOfSeveral();
    absl::Span<const uint32_t>& only = lists_.front();
    const uint32_t position = only.front();
    only.remove_prefix(1);
    if (only.empty()) lists_.clear();
    return position;
  }

 private:
  uint32_t NextOfSeveral();

  // A heap once there are several: the one that goes on first is in front.
  absl::InlinedVector<absl::Span<const uint32_t>, 6> lists_;
};

// Prefixes, compared byte by byte.
class PrefixIndex {
 public:
  // A position of a prefix, and whether it takes every call.
  struct Entry {
    uint32_t position;
    bool takes_all;
  };
  // Each prefix with its entries, by position.
  explicit PrefixIndex(const std::map<std::string, std::vector<Entry>>& entries);

  void FindAll(absl::string_view path, PathCandidates& candidates) const;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  struct Node {
    std::string prefix;
    uint32_t parent = kNone;           // the longest that is a prefix of this one
    uint32_t next = kNone;             // the nearest above that has a candidate before `limit`
    uint32_t limit = kNone;            // nothing behind this position can be reached
    std::vector<uint32_t> candidates;  // its own
  };

  void AddNode(const std::string& prefix, uint32_t parent, const std::vector<Entry>& entries);

  std::vector<Node> nodes_;  // sorted by prefix, so that a parent is before its children
};

class PathIndex {
 public:
  explicit PathIndex(const std::vector<Route>& routes);

  // Positions of all routes that may match: those of exact paths and prefixes do, those of regexes
  // still have to be asked.
  PathCandidates Find(absl::string_view path) const;

 private:
  using ExactPaths = absl::flat_hash_map<std::string, std::vector<uint32_t>>;
  struct Half {
    ExactPaths exact;
    PrefixIndex prefixes;

    void FindAll(absl::string_view path, PathCandidates& candidates) const;
  };

  static Half BuildHalf(const std::vector<Route>& routes, bool case_sensitive);

  const Half as_written_;
  const std::optional<Half> in_lower_case_;  // only if a route asks for it
};

}  // namespace holdfast
