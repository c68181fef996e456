#include "app/why_question.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/resource_ref.h"
#include "base/outside_text.h"
#include "bootstrap/name_template.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// What gRPC assumes of an authority that a bootstrap does not describe further (gRFC A47).
BootstrapConfig Unwritten(absl::string_view target) {
  BootstrapConfig bootstrap;
  absl::string_view rest = target;
  if (!absl::ConsumePrefix(&rest, "xds://")) return bootstrap;
  const absl::string_view authority = rest.substr(0, rest.find('/'));
  const std::optional<std::string> decoded = PercentDecode(authority);
  if (authority.empty() || !decoded.has_value()) return bootstrap;
  bootstrap.authorities[*decoded].client_listener_resource_name_template =
      absl::StrCat("xdstp://", authority, "/", kListenerTypeName, "/%s");
  return bootstrap;
}

absl::StatusOr<TargetNames> NamesOf(absl::string_view target, const BootstrapConfig* bootstrap) {
  if (bootstrap != nullptr) {
    const absl::StatusOr<TargetNames> names = NamesOfTarget(target, *bootstrap);
    if (names.ok()) return names;
  }
  return NamesOfTarget(target, Unwritten(target));
}

}  // namespace

absl::StatusOr<WhyQuestion> ParseWhyQuestion(absl::string_view text,
                                             const BootstrapConfig* bootstrap) {
  WhyQuestion why;
  why.question.text = std::string(text);
  if (absl::StartsWith(text, "xds:")) {
    why.question.kind = Question::Kind::kTarget;
    const absl::StatusOr<TargetNames> names = NamesOf(text, bootstrap);
    if (!names.ok()) return names.status();
    why.question.authority = names->data_plane_authority;
    why.roots.push_back({std::string(kListenerTypeName), names->listener});
    return why;
  }
  const absl::StatusOr<ResourceRef> resource = ParseResourceRef(text);
  if (resource.ok()) {
    why.question.kind = Question::Kind::kResource;
    const std::string type(resource->type->type_name());
    why.roots.push_back({type, CanonicalName(resource->name, type)});
    return why;
  }
  if (absl::StrContains(text, "://")) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(text), " is no target: it begins with xds:, as in xds:///web"));
  }
  // Ids of nodes have slashes too, so this is one, unless it looks like a slip.
  if (absl::StrContains(resource.status().message(), "did you mean")) return resource.status();
  why.question.kind = Question::Kind::kClient;
  return why;
}

}  // namespace holdfast
