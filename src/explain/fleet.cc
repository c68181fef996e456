#include "explain/fleet.h"

#include <algorithm>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "resources/decode/registry.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// An error text may name twenty fields; no terminal wants more.
constexpr size_t kMostReasonBytes = 4000;

struct StandingNames {
  Standing standing;
  absl::string_view name;
  absl::string_view word;
};
constexpr StandingNames kStandings[] = {
    {Standing::kGood, "good", "good"},
    {Standing::kWaiting, "waiting", "waiting"},
    {Standing::kHeldBack, "held_back", "held back"},
    {Standing::kFailed, "failed", "failed"},
};

struct ShortType {
  absl::string_view type;
  absl::string_view short_name;
};
// In the order in which one leads to the next.
constexpr ShortType kShortTypes[] = {
    {kListenerTypeName, "lds"},
    {kRouteConfigTypeName, "rds"},
    {kClusterTypeName, "cds"},
    {kEndpointsTypeName, "eds"},
};

size_t PlaceOf(absl::string_view type) {
  size_t place = 0;
  for (const ShortType& known : kShortTypes) {
    if (known.type == type) break;
    ++place;
  }
  return place;
}

std::string TroubleText(const FleetResource& resource) {
  const std::string said =
      resource.message.empty()
          ? std::string()
          : absl::StrCat(": ", BoundedText(resource.message, kMostReasonBytes));
  const std::string code =
      resource.code.empty() ? std::string() : absl::StrCat(" ", BoundedText(resource.code));
  switch (resource.trouble) {
    case Trouble::kNone:
    case Trouble::kRequested:
    case Trouble::kUnanswered:
      return "";
    case Trouble::kRejected:
      return absl::StrCat("rejected by the client", said.empty() ? ", no reason given" : said);
    case Trouble::kDoesNotExist:
      return absl::StrCat("does not exist", said);
    case Trouble::kServerError:
      return absl::StrCat("server error", code, said);
    case Trouble::kTimeout:
      return absl::StrCat("timeout", said);
  }
  return "";
}

}  // namespace

absl::string_view NameOf(Standing standing) {
  return kStandings[static_cast<size_t>(standing)].name;
}

absl::string_view WordFor(Standing standing) {
  return kStandings[static_cast<size_t>(standing)].word;
}

std::optional<Standing> StandingNamed(absl::string_view name) {
  for (const StandingNames& known : kStandings) {
    if (known.name == name) return known.standing;
  }
  return std::nullopt;
}

void Arrange(Fleet& fleet) {
  for (FleetClient& client : fleet.clients) {
    std::sort(client.types.begin(), client.types.end(), [](const FleetType& a, const FleetType& b) {
      return std::tuple(PlaceOf(a.type), a.type) < std::tuple(PlaceOf(b.type), b.type);
    });
    std::sort(client.resources.begin(), client.resources.end(),
              [](const FleetResource& a, const FleetResource& b) {
                if (a.standing != b.standing) return a.standing > b.standing;
                return std::tuple(PlaceOf(a.type), a.type, a.name) <
                       std::tuple(PlaceOf(b.type), b.type, b.name);
              });
  }
  std::sort(fleet.clients.begin(), fleet.clients.end(),
            [](const FleetClient& a, const FleetClient& b) {
              if (a.standing != b.standing) return a.standing > b.standing;
              return std::tie(a.id, a.scope) < std::tie(b.id, b.scope);
            });
}

std::string ShortTypeOf(absl::string_view type) {
  for (const ShortType& known : kShortTypes) {
    if (known.type == type) return std::string(known.short_name);
  }
  return std::string(type);
}

std::string FullTypeOf(absl::string_view type) {
  const absl::string_view name = absl::StripPrefix(type, kTypeUrlPrefix);
  for (const ShortType& known : kShortTypes) {
    if (known.short_name == name) return std::string(known.type);
  }
  return std::string(name);
}

std::string NounOf(absl::string_view type) {
  const AnyResourceType* known = FindResourceType(type);
  if (known != nullptr) return std::string(known->noun());
  return absl::StrCat("resource of type ", BoundedText(type));
}

std::string RefText(absl::string_view type, absl::string_view name) {
  return absl::StrCat(BoundedText(ShortTypeOf(type)), "/", BoundedText(name));
}

std::string NounAndName(absl::string_view type, absl::string_view name) {
  return absl::StrCat(NounOf(type), " ", BoundedText(name));
}

std::string ShortVersion(absl::string_view version) {
  constexpr size_t kLeastHash = 24;
  constexpr size_t kShown = 8;
  const bool is_hash = version.size() >= kLeastHash && absl::c_all_of(version, [](char c) {
                         return absl::ascii_isxdigit(static_cast<unsigned char>(c));
                       });
  return is_hash ? std::string(version.substr(0, kShown)) : BoundedText(version);
}

std::optional<absl::Time> SinceOf(const FleetClient& client) {
  if (client.standing != Standing::kGood) {
    std::optional<absl::Time> first;
    for (const FleetResource& resource : client.resources) {
      if (resource.standing != client.standing || !resource.since.has_value()) continue;
      first = std::min(first.value_or(absl::InfiniteFuture()), *resource.since);
    }
    return first;
  }
  if (client.connected_since.has_value()) return client.connected_since;
  std::optional<absl::Time> newest;
  for (const FleetResource& resource : client.resources) {
    if (!resource.since.has_value()) continue;
    newest = std::max(newest.value_or(absl::InfinitePast()), *resource.since);
  }
  return newest;
}

std::string WaitingText(std::optional<absl::Duration> waited) {
  if (!waited.has_value()) return "REQUESTED (clients wait 15 s, or 30)";
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(*waited));
  if (seconds <= 15) return absl::StrCat("REQUESTED (", seconds, " s of 15)");
  if (seconds <= 30) return absl::StrCat("REQUESTED (", seconds, " s of 30)");
  return absl::StrCat("REQUESTED (", seconds, " s, longer than clients wait)");
}

std::string ReasonOf(const FleetResource& resource, absl::Time now) {
  if (resource.standing == Standing::kGood) return "";
  std::string reason;
  if (resource.standing == Standing::kWaiting) {
    const std::optional<absl::Duration> waited =
        resource.since.has_value() ? std::optional(now - *resource.since) : std::nullopt;
    if (resource.trouble == Trouble::kUnanswered) {
      reason = absl::StrCat(resource.offered.empty()
                                ? "the newest version"
                                : absl::StrCat("version ", ShortVersion(resource.offered)),
                            " was sent and is not answered yet");
    } else {
      reason = WaitingText(waited);
    }
    if (!resource.message.empty()) absl::StrAppend(&reason, ": ", BoundedText(resource.message));
  } else {
    reason = TroubleText(resource);
  }
  if (resource.standing == Standing::kHeldBack && resource.in_use.has_value()) {
    absl::StrAppend(&reason, " [uses version ", ShortVersion(*resource.in_use), "]");
  }
  return reason;
}

}  // namespace holdfast
