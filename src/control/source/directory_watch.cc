#include "control/source/directory_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr uint32_t kEvents = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE |
                             IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                             IN_ONLYDIR;

int PollTimeout(absl::Duration most) {
  const int64_t milliseconds = absl::ToInt64Milliseconds(absl::Ceil(most, absl::Milliseconds(1)));
  return static_cast<int>(std::clamp<int64_t>(milliseconds, 0, std::numeric_limits<int>::max()));
}

}  // namespace

DirectoryWatch::DirectoryWatch(std::string directory, std::string ignored_name)
    : directory_(std::move(directory)),
      ignored_name_(std::move(ignored_name)),
      events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  HOLDFAST_CHECK(wake_ >= 0);
}

DirectoryWatch::~DirectoryWatch() {
  if (events_ >= 0) close(events_);
  close(wake_);
}

void DirectoryWatch::Attach(const std::vector<DirectoryEntry>& others) {
  if (events_ < 0) return;
  std::set<int> before;
  for (const auto& [watch, names] : others_) before.insert(watch);
  if (watch_ >= 0) before.insert(watch_);
  // The same directory has the same number, however often it is added.
  watch_ = inotify_add_watch(events_, directory_.c_str(), kEvents);
  others_.clear();
  for (const DirectoryEntry& other : others) {
    const int watch = inotify_add_watch(events_, other.directory.c_str(), kEvents);
    if (watch >= 0 && watch != watch_) others_[watch].insert(other.name);
  }
  for (const int watch : before) {
    if (watch != watch_ && !others_.contains(watch)) inotify_rm_watch(events_, watch);
  }
}

std::vector<std::string> DirectoryWatch::Wait(absl::Duration most) {
  pollfd files[] = {{wake_, POLLIN, 0}, {events_, POLLIN, 0}};  // poll() skips negative ones
  poll(files, 2, PollTimeout(most));
  uint64_t wakes = 0;
  static_cast<void>(read(wake_, &wakes, sizeof(wakes)));
  std::vector<std::string> names;
  if (events_ >= 0) ReadEvents(names);
  return names;
}

void DirectoryWatch::Wake() {
  const uint64_t one = 1;
  static_cast<void>(write(wake_, &one, sizeof(one)));
}

bool DirectoryWatch::IsOfOthers(int watch, const std::string& name) const {
  const auto found = others_.find(watch);
  return found != others_.end() && (name.empty() || found->second.contains(name));
}

void DirectoryWatch::ReadEvents(std::vector<std::string>& names) {
  alignas(inotify_event) char buffer[16 * 1024];
  while (true) {
    const ssize_t got = read(events_, buffer, sizeof(buffer));
    if (got <= 0) return;
    for (const char* at = buffer; at < buffer + got;) {
      inotify_event event;
      std::memcpy(&event, at, sizeof(event));
      const char* const name = at + sizeof(event);
      at = name + event.len;
      const bool is_overflow = (event.mask & IN_Q_OVERFLOW) != 0;
      // Padded with zeros, any number of them.
      std::string changed = event.len > 0 ? std::string(name) : std::string();
      if (!is_overflow && event.wd != watch_) {
        if (IsOfOthers(event.wd, changed)) names.emplace_back();
        if ((event.mask & IN_IGNORED) != 0) others_.erase(event.wd);
        continue;
      }
      if ((event.mask & IN_IGNORED) != 0) watch_ = -1;
      if (!changed.empty() && changed == ignored_name_) continue;
      names.push_back(std::move(changed));
    }
  }
}

}  // namespace holdfast
