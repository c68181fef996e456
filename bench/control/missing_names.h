// How long a client waits that asks for a name which does not exist.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/session/session_types.h"

namespace holdfast {

struct Waits {
  int asked = 0;
  std::vector<absl::Duration> answered;  // sorted

  // "0.99" of those that were answered were so within this time. REQUIRES: some were.
  absl::Duration Quantile(double of) const;
};

// `asks` names, one after another on one stream, each when the one before was answered. Stops at
// the first that is not, within `patience`.
Waits AskBackToBack(const std::string& address, Variant variant, const std::string& type_url,
                    int asks, absl::Duration patience);

// On each of `streams` streams one name, after nothing was said on it for this long.
Waits AskAfterSilence(const std::string& address, Variant variant, const std::string& type_url,
                      int streams, absl::Duration silence, absl::Duration patience);

}  // namespace holdfast
