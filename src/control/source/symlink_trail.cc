#include "control/source/symlink_trail.h"

#include <deque>
#include <filesystem>
#include <system_error>

namespace holdfast {
namespace {

// As Linux has it.
constexpr size_t kMostSymlinks = 40;

}  // namespace

std::vector<DirectoryEntry> SymlinkTrail(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<DirectoryEntry> trail;
  std::error_code error;
  const fs::path start = fs::absolute(path, error);
  if (error) return trail;
  std::deque<fs::path> ahead(start.begin(), start.end());
  fs::path here;          // without symlinks
  DirectoryEntry newest;  // the last that was stepped on
  while (!ahead.empty()) {
    const fs::path step = ahead.front();
    ahead.pop_front();
    if (step.empty() || step == ".") continue;
    if (step == "..") {
      here = here.parent_path();
      continue;
    }
    if (step.is_absolute()) {
      here = step;
      continue;
    }
    newest = {here.string(), step.string()};
    const fs::path next = here / step;
    if (!fs::is_symlink(fs::symlink_status(next, error))) {
      here = next;
      continue;
    }
    trail.push_back(newest);
    const fs::path target = fs::read_symlink(next, error);
    if (error || trail.size() == kMostSymlinks) return trail;
    ahead.insert(ahead.begin(), target.begin(), target.end());
  }
  if (!trail.empty() && trail.back() != newest) trail.push_back(newest);
  return trail;
}

}  // namespace holdfast
