// Notices that something in a directory may have changed.
//
// A hint, no more (inotify): it may come for nothing, and may not come at all, as when the
// directory itself is a symlink that now leads elsewhere. Whoever needs to be sure looks for
// themselves now and then.
//
// Wake() is thread-safe; the rest belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace holdfast {

class DirectoryWatch {
 public:
  // Changes of the entry `ignored_name` are none; may be empty.
  DirectoryWatch(std::string directory, std::string ignored_name);
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  // Watches what the path leads to now, if that is not what is watched already.
  void Attach();
  bool is_attached() const { return watch_ >= 0; }

  // Blocks until something changed, somebody wakes it, or the time is over. The names of what
  // changed, with repetitions; "" is the directory itself, or more than can be told.
  std::vector<std::string> Wait(absl::Duration most);
  // Ends a Wait() that runs, or else the next.
  void Wake();

 private:
  void ReadEvents(std::vector<std::string>& names);

  const std::string directory_;
  const std::string ignored_name_;
  const int events_;  // of inotify; -1 if the system has no more
  const int wake_;
  int watch_ = -1;
};

}  // namespace holdfast
