#include "control/source/resource_notes.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace holdfast {
namespace {

// "resources[2]" of "resources[2].load_assignment.endpoints[0]".
std::string ElementOf(const std::string& field) {
  const size_t bracket = field.find(']');
  return bracket == std::string::npos ? "" : field.substr(0, bracket + 1);
}

// Where the elements of the files begin. A file of several documents has an element of the same
// name in each: then the line tells which one is meant.
class Elements {
 public:
  void Add(const std::string& path, const Place& place, const ResourceKey& key) {
    keys_[{path, place.field}][place.line].push_back(key);
  }

  std::vector<ResourceKey> Find(const Problem& problem) const {
    const auto found = keys_.find({problem.file, ElementOf(problem.field)});
    if (found == keys_.end()) return {};
    auto after = found->second.upper_bound(problem.line);
    return after == found->second.begin() ? std::vector<ResourceKey>() : (--after)->second;
  }

 private:
  // By path and element, then by line.
  std::map<std::pair<std::string, std::string>, std::map<int, std::vector<ResourceKey>>> keys_;
};

std::string NameInDirectory(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

ResourceNotes NotesOf(absl::Span<const ConfigFile> files, const std::vector<Problem>& problems,
                      const LastGood& good) {
  ResourceNotes notes;
  std::set<ResourceKey> served;
  for (const auto& [name, file] : good) {
    for (const auto& [key, resource] : file.resources) served.insert(key);
    for (const auto& [key, error] : file.withheld) {
      if (!file.errors.contains(key)) notes.invalid.insert(key);
    }
  }
  Elements elements;
  for (const ConfigFile& file : files) {
    for (const DefinedResource& defined : file.resources) {
      elements.Add(file.path, defined.place, defined.resource->key());
    }
    for (const InvalidResource& invalid : file.invalid) {
      elements.Add(file.path, invalid.place, invalid.key);
      if (served.contains(invalid.key)) notes.last_good.insert(invalid.key);
    }
    const auto kept = good.find(NameInDirectory(file.path));
    if (file.is_readable || kept == good.end()) continue;
    for (const auto& [key, resource] : kept->second.resources) notes.last_good.insert(key);
  }
  for (const Problem& problem : problems) {
    for (const ResourceKey& key : elements.Find(problem)) {
      notes.problems[key].push_back(TextOf(problem));
    }
  }
  return notes;
}

}  // namespace holdfast
