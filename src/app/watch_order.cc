#include "app/watch_order.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kWatch = "watch";
constexpr absl::string_view kCancel = "cancel";

absl::Status UnknownVerb(absl::string_view verb) {
  const std::optional<absl::string_view> meant = DidYouMean(verb, {{kWatch, kCancel}});
  return absl::InvalidArgumentError(
      absl::StrCat("unknown order ", Quoted(verb), ": write watch TYPE/NAME or cancel TYPE/NAME",
                   meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : ""));
}

}  // namespace

absl::StatusOr<std::optional<WatchOrder>> ParseWatchOrder(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return std::nullopt;
  const size_t space = line.find_first_of(" \t");
  const absl::string_view verb = line.substr(0, space);
  if (verb != kWatch && verb != kCancel) return UnknownVerb(verb);
  if (space == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(verb, " what? write ", verb, " TYPE/NAME, as in ", verb, " cds/pay"));
  }
  // A name may have spaces inside; nobody means those around it.
  absl::StatusOr<ResourceRef> resource =
      ParseResourceRef(absl::StripLeadingAsciiWhitespace(line.substr(space)));
  if (!resource.ok()) return resource.status();
  return WatchOrder{verb == kWatch ? WatchOrder::Verb::kWatch : WatchOrder::Verb::kCancel,
                    *std::move(resource)};
}

}  // namespace holdfast
