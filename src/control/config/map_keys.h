// Maps that are our own and no message: their keys are checked by a list.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "control/config/field_problems.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

// Notes every key that is not `known` ("unknown key; did you mean services?") and every key that is
// there twice. REQUIRES: node.is_map().
void CheckKeys(YamlNode node, std::initializer_list<absl::string_view> known, const FieldPath& path,
               FieldProblems& problems);

// The string at `key`. nullopt, and an error, if it is missing, empty or no string.
std::optional<std::string> RequiredString(YamlNode node, absl::string_view key,
                                          const FieldPath& path, FieldProblems& problems);

}  // namespace holdfast
