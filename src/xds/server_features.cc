#include "xds/server_features.h"

#include <array>
#include <cstddef>
#include <iterator>

namespace holdfast {

namespace {

struct KnownFeature {
  absl::string_view text;
  bool ServerFeatures::*fact;
};

constexpr KnownFeature kKnownFeatures[] = {
    {"fail_on_data_errors", &ServerFeatures::fail_on_data_errors},
    {kResourceTimerIsTransientError, &ServerFeatures::resource_timer_is_transient_error},
    {"ignore_resource_deletion", &ServerFeatures::ignore_resource_deletion},
    {"trusted_xds_server", &ServerFeatures::trusted_xds_server},
    {"holdfast_incremental", &ServerFeatures::holdfast_incremental},
};

constexpr auto kKnownTexts = [] {
  std::array<absl::string_view, std::size(kKnownFeatures)> texts;
  for (size_t i = 0; i < texts.size(); ++i) texts[i] = kKnownFeatures[i].text;
  return texts;
}();

}  // namespace

absl::Span<const absl::string_view> KnownFeatures() { return kKnownTexts; }

FeatureMeaning AddFeature(absl::string_view text, ServerFeatures& features) {
  for (const KnownFeature& known : kKnownFeatures) {
    if (text != known.text) continue;
    features.*known.fact = true;
    return FeatureMeaning::kKnown;
  }
  // Every server speaks v3 today; the string is still in many bootstraps.
  if (text == "xds_v3") return FeatureMeaning::kKnown;
  // A88 spells it so in two lists; its definition and every implementation say "…_error".
  if (text == "resource_timer_is_transient_failure") {
    features.resource_timer_is_transient_error = true;
    return FeatureMeaning::kAlias;
  }
  return FeatureMeaning::kUnknown;
}

}  // namespace holdfast
