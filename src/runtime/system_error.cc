#include "runtime/system_error.h"

#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {

absl::Status SystemError(const std::string& path, absl::string_view what, int error) {
  // Unlike strerror, this may be called by several threads at once.
  return absl::Status(
      absl::ErrnoToStatusCode(error),
      absl::StrCat(Quoted(path), ": ", what, ": ", std::generic_category().message(error)));
}

}  // namespace holdfast
