// What `holdfast why` was asked: TARGET, CLIENT or TYPE/NAME, told apart by how they are written.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bootstrap/bootstrap.h"
#include "explain/links.h"
#include "explain/verdict.h"

namespace holdfast {

struct WhyQuestion {
  Question question;
  std::vector<Link> roots;  // where its chain begins; none for a client, whose resources tell
};

// INVALID_ARGUMENT for what can be none of them. The names of listeners are made as this bootstrap
// says; null, or a target it does not know: as gRPC makes them where a bootstrap says nothing.
absl::StatusOr<WhyQuestion> ParseWhyQuestion(absl::string_view text,
                                             const BootstrapConfig* bootstrap);

}  // namespace holdfast
