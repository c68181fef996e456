// Who is to be told of a commit: sessions by the names they follow, so that a change of one
// resource costs nothing to those that did not ask for it.
//
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "base/strong_id.h"
#include "control/catalog/view.h"

namespace holdfast {

using SessionId = StrongId<struct SessionIdTag>;

class InterestIndex {
 public:
  // As the effects Follow and Unfollow say, names in their canonical form. A session that ends is
  // taken out by unfollowing all that it followed.
  void Follow(SessionId session, const std::string& type, const std::string& name);
  void Unfollow(SessionId session, const std::string& type, const std::string& name);

  // Those that follow any of these names, each once, in the order of their ids.
  std::vector<SessionId> FollowersOf(const Changes& changes) const;
  // How many these are for one name.
  size_t CountFollowers(const std::string& type, const std::string& name) const;

 private:
  // Most of what a stream costs that asks for many names: 8 bytes each, and not a node.
  using Followers = absl::btree_set<SessionId>;
  struct OfType {
    std::map<std::string, Followers> by_name;
    std::map<std::string, Followers> globs;
    Followers everything;
  };

  std::map<std::string, OfType> types_;
};

}  // namespace holdfast
