#include "control/session/type_state.h"

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "control/session/glob_of.h"

namespace holdfast {

const std::string& TypeState::AsAsked(const std::string& name) const {
  if (spellings.empty()) return name;
  const auto found = spellings.find(name);
  return found == spellings.end() ? name : found->second;
}

bool TypeState::OwesAnswer() const {
  return is_everything_owed ||
         absl::c_any_of(names,
                        [](const auto& one) {
                          const NameState& state = one.second;
                          return state.is_due || (state.sent == nullptr && state.error_sent == 0 &&
                                                  !state.was_told_absent);
                        }) ||
         absl::c_any_of(globs, [](const auto& one) {
           const GlobState& glob = one.second;
           return glob.sent.empty() && glob.errors_sent.empty() && !glob.was_told_empty;
         });
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

ResourcePtr TypeState::AsTaken(const ResourcePtr& sent) const {
  const Deviation* const known = ledger.Find(sent->name());
  if (known == nullptr || !known->HasRejected(*sent)) return sent;
  return known->runs == nullptr ? nullptr : known->runs->resource;
}

const GlobState* TypeState::GlobWith(const std::string& name) const {
  if (globs.empty()) return nullptr;
  const auto found = globs.find(GlobOf(name));
  if (found == globs.end()) return nullptr;
  const absl::StatusOr<ResourceName> member = ResourceName::Parse(name, type);
  return member.ok() && found->second.name.Matches(*member) ? &found->second : nullptr;
}

}  // namespace holdfast
