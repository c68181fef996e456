// What the files of a directory say together: names that are defined twice, references that lead
// nowhere, responses that clients refuse for their size.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"

namespace holdfast {

// Sorted by file and place, each once: what ReadConfigFile found, and what only shows when all are
// seen. A resource that is defined twice has moved from `resources` to `invalid` in each file that
// defines it, and so has one that an `errors:` entry may deny which cannot be read.
std::vector<Problem> LintTogether(absl::Span<ConfigFile> files);

}  // namespace holdfast
