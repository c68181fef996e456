#include "explain/unread_file.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace holdfast {

std::string UnreadFileInAnswer(absl::string_view message) {
  constexpr absl::string_view kBefore =
      ": the control plane does not know it, but could never read ";
  const size_t before = message.find(kBefore);
  if (before == absl::string_view::npos) return "";
  const absl::string_view file = message.substr(before + kBefore.size());
  return std::string(file.substr(0, file.rfind(" of its configuration")));
}

std::string UnreadFileInProblem(absl::string_view problem) {
  return absl::ConsumeSuffix(&problem, ": nothing of it is served: it never was readable")
             ? std::string(problem)
             : "";
}

std::vector<std::string> ProblemsOfUnreadFiles(const std::vector<std::string>& problems) {
  std::set<std::string> files;
  for (const std::string& problem : problems) {
    std::string file = UnreadFileInProblem(problem);
    if (!file.empty()) files.insert(std::move(file));
  }
  std::vector<std::string> found;
  absl::c_copy_if(problems, std::back_inserter(found), [&files](const std::string& problem) {
    return absl::c_any_of(files, [&problem](const std::string& file) {
      return absl::StartsWith(problem, absl::StrCat(file, ":"));
    });
  });
  return found;
}

}  // namespace holdfast
