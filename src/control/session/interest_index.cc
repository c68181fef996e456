#include "control/session/interest_index.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "control/session/glob_of.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

// Only what may be a glob is looked at twice.
bool IsGlob(absl::string_view name, absl::string_view type) {
  if (!absl::StartsWith(name, "xdstp:")) return false;
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type);
  return parsed.ok() && parsed->is_glob();
}

}  // namespace

void InterestIndex::Follow(SessionId session, const std::string& type, const std::string& name) {
  OfType& of_type = types_[type];
  if (name == "*") {
    of_type.everything.insert(session);
  } else if (IsGlob(name, type)) {
    of_type.globs[name].insert(session);
  } else {
    of_type.by_name[name].insert(session);
  }
}

void InterestIndex::Unfollow(SessionId session, const std::string& type, const std::string& name) {
  const auto found = types_.find(type);
  if (found == types_.end()) return;
  OfType& of_type = found->second;
  if (name == "*") {
    of_type.everything.erase(session);
  } else if (const auto glob = of_type.globs.find(name); glob != of_type.globs.end()) {
    glob->second.erase(session);
    if (glob->second.empty()) of_type.globs.erase(glob);
  } else if (const auto named = of_type.by_name.find(name); named != of_type.by_name.end()) {
    named->second.erase(session);
    if (named->second.empty()) of_type.by_name.erase(named);
  }
  if (of_type.by_name.empty() && of_type.globs.empty() && of_type.everything.empty()) {
    types_.erase(found);
  }
}

std::vector<SessionId> InterestIndex::FollowersOf(const Changes& changes) const {
  std::vector<SessionId> followers;
  const auto add = [&followers](const Followers& some) {
    followers.insert(followers.end(), some.begin(), some.end());
  };
  for (const auto& [type, names] : changes) {
    const auto of_type = types_.find(type);
    if (of_type == types_.end()) continue;
    const auto& [by_name, globs, everything] = of_type->second;
    add(everything);
    for (const std::string& name : names) {
      const auto named = by_name.find(name);
      if (named != by_name.end()) add(named->second);
      if (globs.empty()) continue;
      for (const std::string& text : {name, GlobOf(name)}) {
        const auto glob = globs.find(text);
        if (glob != globs.end()) add(glob->second);
      }
    }
  }
  // In the rule one name changed, and its followers are in order.
  if (!absl::c_is_sorted(followers)) absl::c_sort(followers);
  followers.erase(std::unique(followers.begin(), followers.end()), followers.end());
  return followers;
}

size_t InterestIndex::CountFollowers(const std::string& type, const std::string& name) const {
  const auto found = types_.find(type);
  if (found == types_.end()) return 0;
  const OfType& of_type = found->second;
  if (!of_type.globs.empty()) return FollowersOf({{type, {name}}}).size();
  const auto named = of_type.by_name.find(name);
  if (named == of_type.by_name.end()) return of_type.everything.size();
  // In the rule one of both is empty.
  const auto is_new = [&of_type](SessionId id) { return !of_type.everything.contains(id); };
  return of_type.everything.size() + static_cast<size_t>(absl::c_count_if(named->second, is_new));
}

}  // namespace holdfast
