// An element of `errors:`: what clients are told about a name instead of silence (TP3).
#pragma once

#include <optional>

#include "control/config/config_file.h"
#include "control/config/field_problems.h"
#include "control/config/schema.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

struct ErrorEntry {
  ResourceKey key;  // parts of it may be missing after an error
  // nullopt after an error, which is then in `problems`.
  std::optional<NameError> error;
  // Its code withdraws a resource, or cannot be told.
  bool may_deny = true;
};

// `path` is that of the element.
ErrorEntry ReadErrorEntry(YamlNode node, const FieldPath& path, const Schema& schema,
                          FieldProblems& problems);

}  // namespace holdfast
