#include "control/session/type_state.h"

#include "absl/status/statusor.h"
#include "absl/strings/match.h"

namespace holdfast {

bool GlobState::Contains(const std::string& member, const std::string& type) const {
  if (!absl::StartsWith(member, "xdstp:")) return false;
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(member, type);
  return parsed.ok() && name.Matches(*parsed);
}

const std::string& TypeState::AsAsked(const std::string& name) const {
  if (spellings.empty()) return name;
  const auto found = spellings.find(name);
  return found == spellings.end() ? name : found->second;
}

std::optional<ContentHash> TypeState::HadInWildcard(const std::string& member) const {
  if (!is_wildcard) return std::nullopt;
  const auto since = since_base.find(member);
  if (since != since_base.end()) return since->second;
  const ResourcePtr* const had = base == nullptr ? nullptr : base->Find(member);
  return had == nullptr ? std::nullopt : std::optional((*had)->hash());
}

HeldPtr TypeState::RunsOf(const std::string& name, const ResourcePtr& sent) const {
  if (const Deviation* const known = ledger.Find(name)) return known->runs;
  for (const Unanswered& one : unanswered) {
    const ResourcePtr* const offered =
        one.offer.news == nullptr ? nullptr : one.offer.news->Find(name);
    if (offered != nullptr) return ledger.Before(one.offer, **offered);
  }
  return HeldOf(sent);
}

std::vector<GlobState*> TypeState::GlobsOf(const std::string& name) {
  std::vector<GlobState*> found;
  if (globs.empty() || !absl::StartsWith(name, "xdstp:")) return found;
  const absl::StatusOr<ResourceName> member = ResourceName::Parse(name, type);
  if (!member.ok()) return found;
  for (auto& [text, glob] : globs) {
    if (glob.name.Matches(*member)) found.push_back(&glob);
  }
  return found;
}

}  // namespace holdfast
