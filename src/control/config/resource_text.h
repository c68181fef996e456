// How problems speak of resources and places.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "control/catalog/resource.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"

namespace holdfast {

// cluster "pay"; for a type we do not know: envoy.foo.v3.Bar "pay".
std::string ResourceText(const ResourceKey& key);

// pay.yaml:4:3
std::string PlaceText(absl::string_view file, const Place& place);

Problem ProblemAt(Problem::Kind kind, absl::string_view file, const Place& place, std::string text);

}  // namespace holdfast
