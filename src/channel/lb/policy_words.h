// How a policy's failure reads: whose it is, what happened, and what is known about the
// configuration (gRFC A88).
//
//   cluster "pay": it has no endpoints (node "web-1")
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace holdfast {

struct PolicyWords {
  std::string cluster;
  std::string note;  // empty: there is none

  // Of our own policies; always UNAVAILABLE.
  absl::Status Failure(absl::string_view sentence) const;
  // Of a user's policy: its code and text, and the note.
  absl::Status WithNote(const absl::Status& theirs) const;

  friend bool operator==(const PolicyWords&, const PolicyWords&) = default;
};

}  // namespace holdfast
