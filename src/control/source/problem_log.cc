#include "control/source/problem_log.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast {

void ProblemLog::Update(const std::vector<std::string>& problems) {
  std::set<std::string> now(problems.begin(), problems.end());
  for (const std::string& problem : problems) {
    if (known_.insert(problem).second) log_.Log(Severity::kWarning, component_, problem);
  }
  for (const std::string& problem : known_) {
    if (!now.contains(problem)) {
      log_.Log(Severity::kInfo, component_, absl::StrCat("no longer: ", problem));
    }
  }
  known_ = std::move(now);
}

}  // namespace holdfast
