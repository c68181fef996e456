// Notices that something in a directory may have changed, or in single entries of others.
//
// A hint, no more (inotify): it may come for nothing, and may not come at all. Whoever needs to be
// sure looks for themselves now and then.
//
// Wake() is thread-safe; the rest belongs to one thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/source/symlink_trail.h"

namespace holdfast {

class DirectoryWatch {
 public:
  // Changes of the entry `ignored_name` are none; may be empty.
  DirectoryWatch(std::string directory, std::string ignored_name);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  // Watches what the path leads to now, if that is not what is watched already, and `others`
  // instead of those of before. Of these it is not complained if they cannot be watched.
  void Attach(const std::vector<DirectoryEntry>& others = {});
  bool is_attached() const { return watch_ >= 0; }

  // Blocks until something changed, somebody wakes it, or the time is over. The names of what
  // changed, with repetitions; "" is the directory itself, an entry of another one, or more than
  // can be told.
  std::vector<std::string> Wait(absl::Duration most);
  // Ends a Wait() that runs, or else the next.
  void Wake();

 private:
  void ReadEvents(std::vector<std::string>& names);
  // Whether an event of a directory of others_ is about one of them.
  bool IsOfOthers(int watch, const std::string& name) const;

  const std::string directory_;
  const std::string ignored_name_;
  const int events_;  // of inotify; -1 if the system has no more
  const int wake_;
  int watch_ = -1;
  std::map<int, std::set<std::string>> others_;  // names by watch, without watch_
};

}  // namespace holdfast
