// What a bootstrap says about one xDS server, as strings and as facts.
//
// The strings of the specs are spelt here and nowhere else.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace holdfast {

// The features we know. Part of a server's identity; strings we do not know are not (R7.30).
struct ServerFeatures {
  bool fail_on_data_errors = false;                // A88: a data error drops the cached resource
  bool resource_timer_is_transient_error = false;  // A88: 30 s, UNAVAILABLE, TIMEOUT
  bool ignore_resource_deletion = false;           // A53: only without A88
  bool trusted_xds_server = false;                 // A81: may ask for auto_host_rewrite
  bool holdfast_incremental = false;               // ours: speak delta to this server

  friend bool operator==(const ServerFeatures&, const ServerFeatures&) = default;
  friend auto operator<=>(const ServerFeatures&, const ServerFeatures&) = default;
};

enum class FeatureMeaning {
  kKnown,    // set in `features`, or known to have no effect ("xds_v3")
  kAlias,    // set in `features`, but spelt as only a slip in A88 spells it: worth a warning
  kUnknown,  // ignored
};

// Adds one string of "server_features".
FeatureMeaning AddFeature(absl::string_view text, ServerFeatures& features);

// The strings that set something in ServerFeatures, to suggest to somebody who mistyped one.
absl::Span<const absl::string_view> KnownFeatures();

// The spelling to use instead of an alias: "resource_timer_is_transient_error".
inline constexpr absl::string_view kResourceTimerIsTransientError =
    "resource_timer_is_transient_error";

}  // namespace holdfast
