// An element of `errors:`: what clients are told about a name instead of silence (TP3).
#pragma once

#include <optional>

#include "control/config/config_file.h"
#include "control/config/field_problems.h"
#include "control/config/schema.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

// nullopt if it has an error, which is then in `problems`. `path` is that of the element.
std::optional<DefinedError> ReadErrorEntry(YamlNode node, const FieldPath& path,
                                           const Schema& schema, FieldProblems& problems);

}  // namespace holdfast
