// Files that a control plane could never read: nobody knows which names they have.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace holdfast {

// What a control plane says of a name that it would know if it could read all of its files:
// `"bad.yaml"`, or `"bad.yaml" and 1 more files`; "" if these are other words.
std::string UnreadFileInAnswer(absl::string_view message);

// "cfg/bad.yaml" of the problem that says that it could never be read; "" of any other.
std::string UnreadFileInProblem(absl::string_view problem);

// Of all problems, those of such files.
std::vector<std::string> ProblemsOfUnreadFiles(const std::vector<std::string>& problems);

}  // namespace holdfast
