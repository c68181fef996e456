// What is wrong with which resource of a directory, for those who ask about one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "control/catalog/resource.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"
#include "control/source/last_good.h"

namespace holdfast {

struct ResourceNotes {
  std::map<ResourceKey, std::vector<std::string>> problems;  // a line each
  std::set<ResourceKey> last_good;                           // served as they last were good
  std::set<ResourceKey> invalid;                             // withheld: they never were good

  friend bool operator==(const ResourceNotes&, const ResourceNotes&) = default;
};

// `files` and `problems` as they were read; `good` is what is served of them.
ResourceNotes NotesOf(absl::Span<const ConfigFile> files, const std::vector<Problem>& problems,
                      const LastGood& good);

}  // namespace holdfast
