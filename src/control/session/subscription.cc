#include "control/session/subscription.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "control/session/glob_of.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr absl::string_view kEverything = "*";

void StartWildcard(TypeState& type, SubscriptionChange& change) {
  change.asked.emplace_back(kEverything);
  type.is_everything_owed = true;
  if (type.is_wildcard) return;
  type.is_wildcard = true;
  change.followed.emplace_back(kEverything);
}

void EndWildcard(TypeState& type, SubscriptionChange& change) {
  if (!type.is_wildcard) return;
  type.is_wildcard = false;
  type.is_everything_owed = false;
  if (type.unanswered.empty()) type.ForgetEverything();
  change.unfollowed.emplace_back(kEverything);
}

// All of it is to be sent again. What was sent before may still reach the client, on its way while
// it asked anew: so what is gone by now has to be said to be gone.
void DoubtWhatIsKnown(TypeState& type) {
  std::erase_if(type.since_base, [](const auto& one) { return !one.second.has_value(); });
  for (auto& [name, had] : type.since_base) had = ContentHash();
  if (type.base == nullptr) return;
  for (const ResourcePtr& resource : type.base->resources()) {
    type.since_base[resource->name()] = ContentHash();
  }
  type.base = nullptr;
}

void Ask(const std::string& name, TypeState& type, SubscriptionChange& change) {
  change.asked.push_back(name);
  const auto [state, is_new] = type.names.try_emplace(name);
  if (is_new) change.followed.push_back(name);
  state->second.is_due = true;
}

void AskGlob(const std::string& text, ResourceName glob, TypeState& type,
             SubscriptionChange& change) {
  change.asked.push_back(text);
  const auto known = type.globs.find(text);
  if (known == type.globs.end()) {
    type.globs.emplace(text, GlobState(text, std::move(glob)));
    change.followed.push_back(text);
    return;
  }
  // Asked again: all of it is answered again, and what is gone meanwhile is not forgotten.
  for (auto& [member, version] : known->second.sent) version = ContentHash();
  type.ForgetErrors(known->second);
  known->second.was_told_empty = false;
}

std::optional<ResourceName> ParseGlob(const std::string& name, const std::string& type) {
  if (!absl::StartsWith(name, "xdstp:")) return std::nullopt;
  absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type);
  if (!parsed.ok() || !parsed->is_glob()) return std::nullopt;
  return *std::move(parsed);
}

// Members of new globs that the client has, or that are on their way, because it asked for them in
// another way.
void ExpectMembers(const std::vector<std::string>& followed, TypeState& type) {
  if (type.base == nullptr && type.since_base.empty()) return;
  absl::flat_hash_set<absl::string_view> globs;
  for (const std::string& name : followed) {
    if (type.globs.contains(name)) globs.insert(name);
  }
  if (globs.empty()) return;
  const auto expect = [&](const std::string& name) {
    if (!globs.contains(GlobOf(name))) return;
    GlobState* const glob = type.GlobWith(name);
    if (glob != nullptr) glob->sent.emplace(name, ContentHash());
  };
  for (const auto& [name, had] : type.since_base) {
    if (had.has_value()) expect(name);
  }
  if (type.base == nullptr) return;
  for (const ResourcePtr& resource : type.base->resources()) {
    if (!type.since_base.contains(resource->name())) expect(resource->name());
  }
}

SubscriptionChange ApplyNames(const NameList& names, bool is_stale, TypeState& type) {
  SubscriptionChange change;
  const bool may_be_wildcard = IsFullStateType(type.type);
  absl::flat_hash_set<absl::string_view> wanted;
  wanted.reserve(names.size());
  bool wants_everything = may_be_wildcard && names.empty() && !type.was_ever_named;
  for (const auto& name : names) {
    if (name == kEverything) {
      wants_everything = may_be_wildcard;
    } else if (!name.empty()) {
      wanted.insert(name);
    }
  }
  if (!names.empty()) type.was_ever_named = true;

  for (auto known = type.names.begin(); known != type.names.end();) {
    if (wanted.erase(known->first) > 0) {
      ++known;
      continue;
    }
    change.unfollowed.push_back(known->first);
    type.NoteError(known->second, 0);
    known = type.names.erase(known);
  }
  if (!wants_everything) {
    EndWildcard(type, change);
    type.base = nullptr;
  }
  if (is_stale) return change;
  std::vector<absl::string_view> added(wanted.begin(), wanted.end());
  absl::c_sort(added);
  for (const absl::string_view name : added) Ask(std::string(name), type, change);
  if (wants_everything && !type.is_wildcard) StartWildcard(type, change);
  return change;
}

}  // namespace

std::optional<CanonicalNames> Canonical(const std::vector<std::string>& names,
                                        const std::string& type) {
  std::optional<CanonicalNames> canonical;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!absl::StartsWith(names[i], "xdstp:")) continue;
    std::string name = CanonicalName(names[i], type);
    if (name == names[i]) continue;
    if (!canonical.has_value()) canonical.emplace(CanonicalNames{.names = names});
    canonical->spellings.insert_or_assign(name, names[i]);
    canonical->names[i] = std::move(name);
  }
  return canonical;
}

void ApplySpellings(const Spellings& spellings, const SubscriptionChange& change, TypeState& type) {
  if (!type.spellings.empty()) {
    for (const std::string& name : change.unfollowed) type.spellings.erase(name);
    for (const std::string& name : change.asked) type.spellings.erase(name);
  }
  for (const auto& [name, written] : spellings) {
    if (type.names.contains(name) || type.globs.contains(name)) {
      type.spellings.insert_or_assign(name, written);
    }
  }
}

SubscriptionChange ApplySotwNames(const NameList& names, TypeState& type) {
  return ApplyNames(names, /*is_stale=*/false, type);
}

SubscriptionChange ApplyStaleSotwNames(const NameList& names, TypeState& type) {
  return ApplyNames(names, /*is_stale=*/true, type);
}

SubscriptionChange ApplyDeltaNames(const DeltaDiscoveryRequest& request, bool is_first,
                                   TypeState& type) {
  SubscriptionChange change;
  const bool may_be_wildcard = IsFullStateType(type.type);
  // Names in both lists end up subscribed: what is asked for is answered.
  for (const std::string& name : request.unsubscribe) {
    if (name == kEverything) {
      EndWildcard(type, change);
    } else if (const auto glob = type.globs.find(name); glob != type.globs.end()) {
      type.ForgetErrors(glob->second);
      // R1.70: what it has of the glob is told, too, as far as the wildcard does not know of it.
      for (const auto& [member, version] : glob->second.sent) {
        const bool is_news = type.is_wildcard && !type.HadInWildcard(member).has_value();
        if (is_news) change.asked.push_back(member);
        if (is_news || (!type.is_wildcard && !type.unanswered.empty())) {
          type.since_base[member] = ContentHash();
        }
      }
      type.globs.erase(glob);
      change.unfollowed.push_back(name);
    } else if (const auto known = type.names.find(name); known != type.names.end()) {
      type.NoteError(known->second, 0);
      type.names.erase(known);
      change.unfollowed.push_back(name);
      // R1.70: the client is told what the wildcard has for it, which may be nothing. So it is
      // with a glob.
      GlobState* const its_glob = type.GlobWith(name);
      if (its_glob != nullptr) its_glob->sent.insert_or_assign(name, ContentHash());
      // And whoever asks for everything next, or for a glob, may still get what is on its way of
      // this name.
      const bool may_be_asked_for_again = may_be_wildcard || !GlobOf(name).empty();
      const bool may_get_it =
          type.is_wildcard || (may_be_asked_for_again && !type.unanswered.empty());
      if (may_get_it) type.since_base[name] = ContentHash();
      if (may_get_it || its_glob != nullptr) {
        ++type.left_names;
        type.left_name_bytes += name.size();
      }
      if (type.is_wildcard || its_glob != nullptr) change.asked.push_back(name);
    }
  }
  if (is_first && request.subscribe.empty() && request.unsubscribe.empty() && may_be_wildcard) {
    StartWildcard(type, change);
  }
  for (const std::string& name : request.subscribe) {
    if (name.empty()) continue;
    if (name == kEverything) {
      if (may_be_wildcard) {
        DoubtWhatIsKnown(type);
        StartWildcard(type, change);
      }
    } else if (std::optional<ResourceName> glob = ParseGlob(name, type.type)) {
      AskGlob(name, *std::move(glob), type, change);
    } else {
      Ask(name, type, change);
    }
  }
  ExpectMembers(change.followed, type);
  return change;
}

}  // namespace holdfast
