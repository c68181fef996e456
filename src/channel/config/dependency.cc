#include "channel/config/dependency.h"

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {

absl::string_view NameOf(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::kListener:
      return "listener";
    case DependencyKind::kRoutes:
      return "route configuration";
    case DependencyKind::kCluster:
      return "cluster";
    case DependencyKind::kEndpoints:
      return "endpoints";
  }
  return "resource";
}

std::string TextOf(const Dependency& what) {
  return absl::StrCat(NameOf(what.kind), " ", Quoted(what.name));
}

std::ostream& operator<<(std::ostream& out, const Dependency& what) { return out << TextOf(what); }

}  // namespace holdfast
