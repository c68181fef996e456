// How long a client waits that asks for a name which does not exist.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "bench/control/served_resources.h"
#include "control/session/session_types.h"

namespace holdfast {

struct Waits {
  int asked = 0;
  std::vector<absl::Duration> answered;  // sorted

  // "0.99" of those that were answered were so within this time. REQUIRES: some were.
  absl::Duration Quantile(double of) const;
};

// What is an answer.
enum class DueAnswer {
  kErrorOfTheName,  // that says why there is none (xRFC TP3), or in delta that it is removed
  kAny,             // whatever comes next
};

struct MissingNameOptions {
  std::string address;
  Variant variant = Variant::kSotw;
  ServedKind kind = ServedKind::kEndpoints;
  DueAnswer due = DueAnswer::kErrorOfTheName;
  absl::Duration patience;  // whatever comes later is no answer
};

class MissingNameAsker {
 public:
  explicit MissingNameAsker(MissingNameOptions options) : options_(std::move(options)) {}

  // `asks` names, one after another on one stream, each when the one before was answered. Stops at
  // the first that is not.
  Waits AskBackToBack(int asks) const;
  // On each of `streams` streams one name, after nothing was said on it for this long.
  // REQUIRES: as many resources are served.
  Waits AskAfterSilence(int streams, absl::Duration silence) const;

 private:
  const MissingNameOptions options_;
};

}  // namespace holdfast
