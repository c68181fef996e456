// What a channel depends on: the four kinds of resources, by name.
#pragma once

#include <compare>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

enum class DependencyKind { kListener, kRoutes, kCluster, kEndpoints };

// As the errors of the xDS client call them: "listener", "route configuration", ...
absl::string_view NameOf(DependencyKind kind);

struct Dependency {
  DependencyKind kind;
  std::string name;
  friend std::strong_ordering operator<=>(const Dependency&, const Dependency&) = default;
};

// cluster "payments"
std::string TextOf(const Dependency& what);
std::ostream& operator<<(std::ostream& out, const Dependency& what);

}  // namespace holdfast
