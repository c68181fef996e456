// What a resource asks for and this build accepts without doing it: a list of field paths.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace holdfast {

// The list is for one log line; a route table of thousands would drown it.
inline constexpr size_t kMostNotEnforced = 20;

inline void NoteNotEnforced(std::string path, std::vector<std::string>& not_enforced) {
  if (not_enforced.size() < kMostNotEnforced) not_enforced.push_back(std::move(path));
}

}  // namespace holdfast
