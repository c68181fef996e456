#include "channel/routing/path_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "channel/routing/regex_prefix.h"

namespace holdfast {
namespace {

constexpr uint32_t kMillion = 1'000'000;

bool GoesOnLater(absl::Span<const uint32_t> a, absl::Span<const uint32_t> b) {
  return a.front() > b.front();
}

bool TakesNone(const RouteMatch& match) { return match.per_million == 0u; }

bool TakesEveryCallWithItsPath(const RouteMatch& match) {
  return match.kind != RouteMatch::PathKind::kSafeRegex && match.headers.empty() &&
         match.per_million.value_or(kMillion) >= kMillion;
}

size_t CommonLength(absl::string_view a, absl::string_view b) {
  const auto differs = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(differs.first - a.begin());
}

using Entries = std::vector<PrefixIndex::Entry>;

// Those that can be reached.
std::vector<uint32_t> PositionsOf(const Entries& entries, uint32_t limit) {
  std::vector<uint32_t> positions;
  for (const PrefixIndex::Entry& entry : entries) {
    if (entry.position > limit) break;
    positions.push_back(entry.position);
  }
  return positions;
}

uint32_t FirstThatTakesAll(const Entries& entries, uint32_t otherwise) {
  const auto first = std::find_if(entries.begin(), entries.end(),
                                  [](const PrefixIndex::Entry& entry) { return entry.takes_all; });
  return first == entries.end() ? otherwise : std::min(first->position, otherwise);
}

}  // namespace

void PathCandidates::Add(absl::Span<const uint32_t> positions) {
  lists_.push_back(positions);
  if (lists_.size() > 1) std::push_heap(lists_.begin(), lists_.end(), GoesOnLater);
}

uint32_t PathCandidates::NextOfSeveral() {
  std::pop_heap(lists_.begin(), lists_.end(), GoesOnLater);
  absl::Span<const uint32_t>& first = lists_.back();
  const uint32_t position = first.front();
  first.remove_prefix(1);
  if (first.empty()) {
    lists_.pop_back();
  } else {
    std::push_heap(lists_.begin(), lists_.end(), GoesOnLater);
  }
  return position;
}

PrefixIndex::PrefixIndex(const std::map<std::string, std::vector<Entry>>& entries) {
  nodes_.reserve(entries.size());
  uint32_t before = kNone;
  for (const auto& [prefix, of_prefix] : entries) {
    // Whatever is a prefix of this one is also one of its neighbour, or the neighbour itself.
    uint32_t parent = before;
    while (parent != kNone && !absl::StartsWith(prefix, nodes_[parent].prefix)) {
      parent = nodes_[parent].parent;
    }
    before = static_cast<uint32_t>(nodes_.size());
    AddNode(prefix, parent, of_prefix);
  }
}

void PrefixIndex::AddNode(const std::string& prefix, uint32_t parent,
                          const std::vector<Entry>& entries) {
  Node node{.prefix = prefix, .parent = parent, .next = parent};
  node.limit = FirstThatTakesAll(entries, parent == kNone ? kNone : nodes_[parent].limit);
  node.candidates = PositionsOf(entries, node.limit);
  // What a node above passes over is behind its limit, and so behind this one's.
  while (node.next != kNone && (nodes_[node.next].candidates.empty() ||
                                nodes_[node.next].candidates.front() > node.limit)) {
    node.next = nodes_[node.next].next;
  }
  nodes_.push_back(std::move(node));
}

void PrefixIndex::FindAll(absl::string_view path, PathCandidates& candidates) const {
  const auto after = std::upper_bound(
      nodes_.begin(), nodes_.end(), path,
      [](absl::string_view wanted, const Node& node) { return wanted < node.prefix; });
  if (after == nodes_.begin()) return;
  // The last one not behind the path: every prefix of the path is that or one of its parents.
  auto longest = static_cast<uint32_t>(after - nodes_.begin() - 1);
  // Most often it is one itself; then nothing needs to be counted.
  const std::string& nearest = nodes_[longest].prefix;
  const size_t common =
      absl::StartsWith(path, nearest) ? nearest.size() : CommonLength(path, nearest);
  while (longest != kNone && nodes_[longest].prefix.size() > common) {
    longest = nodes_[longest].parent;
  }
  for (uint32_t node = longest; node != kNone; node = nodes_[node].next) {
    if (!nodes_[node].candidates.empty()) candidates.Add(nodes_[node].candidates);
  }
}

PathIndex::Half PathIndex::BuildHalf(const std::vector<Route>& routes, bool case_sensitive) {
  std::map<std::string, Entries> paths;
  std::map<std::string, Entries> prefixes;
  for (uint32_t position = 0; position < routes.size(); ++position) {
    const RouteMatch& match = routes[position].match;
    if (match.case_sensitive != case_sensitive || TakesNone(match)) continue;
    const PrefixIndex::Entry entry{position, TakesEveryCallWithItsPath(match)};
    std::string key = match.path;
    if (match.kind == RouteMatch::PathKind::kSafeRegex) key = LiteralPrefix(match.path);
    if (!case_sensitive) absl::AsciiStrToLower(&key);
    const bool is_whole = match.kind == RouteMatch::PathKind::kPath;
    (is_whole ? paths : prefixes)[std::move(key)].push_back(entry);
  }
  ExactPaths exact;
  constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();
  for (const auto& [path, entries] : paths) {
    exact[path] = PositionsOf(entries, FirstThatTakesAll(entries, kNoLimit));
  }
  return {.exact = std::move(exact), .prefixes = PrefixIndex(prefixes)};
}

namespace {

bool HasOneThatIgnoresCase(const std::vector<Route>& routes) {
  return std::any_of(routes.begin(), routes.end(),
                     [](const Route& route) { return !route.match.case_sensitive; });
}

}  // namespace

PathIndex::PathIndex(const std::vector<Route>& routes)
    : as_written_(BuildHalf(routes, true)),
      in_lower_case_(HasOneThatIgnoresCase(routes) ? std::optional(BuildHalf(routes, false))
                                                   : std::nullopt) {}

void PathIndex::Half::FindAll(absl::string_view path, PathCandidates& candidates) const {
  if (!exact.empty()) {
    const auto found = exact.find(path);
    if (found != exact.end()) candidates.Add(found->second);
  }
  prefixes.FindAll(path, candidates);
}

PathCandidates PathIndex::Find(absl::string_view path) const {
  PathCandidates candidates;
  as_written_.FindAll(path, candidates);
  if (in_lower_case_.has_value()) {
    in_lower_case_->FindAll(absl::AsciiStrToLower(path), candidates);
  }
  return candidates;
}

}  // namespace holdfast
