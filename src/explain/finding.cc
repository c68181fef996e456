#include "explain/finding.h"

#include <vector>

#include "base/did_you_mean.h"

namespace holdfast {
namespace {

constexpr absl::string_view kNames[] = {
    "nothing",
    "wrong_name",
    "does_not_exist",
    "denied",
    "invalid",
    "deleted_but_kept",
    "rejected",
    "waiting",
    "timeout",
    "server_error",
    "no_endpoints",
    "endpoints_refuse",
    "control_plane_unreachable",
    "not_asked_for",
    "not_connected",
    "no_virtual_host",
    "incomplete",
};

Finding FindingOfMissing(const ChainLink& link, const Knowledge& known) {
  if (link.in_use.has_value()) return Finding::kDeletedButKept;
  // Nobody mistook a name that was there, or that an entry speaks of.
  if (link.was_deleted || link.origin == PlaneError::Origin::kConfigured) {
    return Finding::kDoesNotExist;
  }
  return NearestName(link.resource, known).has_value() ? Finding::kWrongName
                                                       : Finding::kDoesNotExist;
}

}  // namespace

absl::string_view NameOf(Finding finding) { return kNames[static_cast<size_t>(finding)]; }

Harm HarmOf(const ChainLink& link) {
  switch (link.standing) {
    case Standing::kGood:
      return Harm::kNone;
    case Standing::kWaiting:
      return link.in_use.has_value() ? Harm::kSlow : Harm::kPending;
    case Standing::kHeldBack:
      return Harm::kStale;
    case Standing::kFailed:
      return Harm::kBroken;
  }
  return Harm::kNone;
}

std::optional<std::string> NearestName(const Link& link, const Knowledge& known) {
  std::vector<absl::string_view> names;
  const auto served = known.names.find(link.type);
  if (served != known.names.end()) names.assign(served->second.begin(), served->second.end());
  if (names.empty() && known.client.has_value()) {
    for (const FleetResource& resource : known.client->resources) {
      if (resource.type == link.type && resource.in_use.has_value()) names.push_back(resource.name);
    }
  }
  const std::optional<absl::string_view> meant = DidYouMean(link.name, names);
  return meant.has_value() ? std::optional(std::string(*meant)) : std::nullopt;
}

Finding FindingOf(const ChainLink& link, const Knowledge& known) {
  switch (link.trouble) {
    case Trouble::kNone:
      return link.is_last_good ? Finding::kInvalid : Finding::kNothing;
    case Trouble::kRequested:
    case Trouble::kUnanswered:
      return Finding::kWaiting;
    case Trouble::kRejected:
      return Finding::kRejected;
    case Trouble::kDoesNotExist:
      return FindingOfMissing(link, known);
    case Trouble::kTimeout:
      return Finding::kTimeout;
    case Trouble::kServerError:
      break;
  }
  if (link.origin == PlaneError::Origin::kInvalid || link.may_be_unread) return Finding::kInvalid;
  if (link.code == "PERMISSION_DENIED" || link.code == "UNAUTHENTICATED") return Finding::kDenied;
  if (link.code == "NOT_FOUND") return FindingOfMissing(link, known);
  return Finding::kServerError;
}

}  // namespace holdfast
