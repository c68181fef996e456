// What every string that a regex matches as a whole begins with.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

// "/acme.Pay/" for R"(/acme\.Pay/(Charge|Refund))". Shorter than it could be where the regex is not
// simple, and then maybe empty; never wrong. REQUIRES: RE2 accepts the regex.
std::string LiteralPrefix(absl::string_view regex);

}  // namespace holdfast
