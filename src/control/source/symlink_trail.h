// The entries of directories that decide what a path leads to.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

struct DirectoryEntry {
  std::string directory;
  std::string name;

  friend bool operator==(const DirectoryEntry&, const DirectoryEntry&) = default;
};

// Every symlink on the way along `path`, and what stands at its end; empty if there is no symlink.
// Of a way that leads nowhere or in a circle: as far as it goes. Blocks as files do; thread-safe.
std::vector<DirectoryEntry> SymlinkTrail(const std::string& path);

}  // namespace holdfast
