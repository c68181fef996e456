#include "runtime/bootstrap_source.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "bootstrap/bootstrap.h"
#include "holdfast/xds/bootstrap.h"
#include "runtime/environment.h"
#include "runtime/text_file.h"

namespace holdfast {
namespace {

// Far more than any bootstrap has; less than what would hurt.
constexpr size_t kMostFileBytes = 16 * 1024 * 1024;

// The same status, its text led by where the trouble is.
absl::Status At(absl::string_view where, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
}

absl::StatusOr<Bootstrap> FromFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path, kMostFileBytes);
  if (!text.ok()) return At(kBootstrapFileVariable, text.status());
  absl::StatusOr<Bootstrap> bootstrap = Bootstrap::Parse(*text);
  if (!bootstrap.ok()) {
    return At(absl::StrCat(kBootstrapFileVariable, ": ", Quoted(path)), bootstrap.status());
  }
  return bootstrap;
}

}  // namespace

Bootstrap::Bootstrap(std::shared_ptr<const ParsedBootstrap> parsed) : parsed_(std::move(parsed)) {}

absl::StatusOr<Bootstrap> Bootstrap::Parse(absl::string_view json) {
  absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(json);
  if (!parsed.ok()) return parsed.status();
  return Bootstrap(std::make_shared<const ParsedBootstrap>(*std::move(parsed)));
}

absl::StatusOr<Bootstrap> Bootstrap::FromEnvironment() {
  const std::optional<std::string> path = ReadVariable(kBootstrapFileVariable);
  if (path.has_value()) return FromFile(*path);
  const std::optional<std::string> json = ReadVariable(kBootstrapTextVariable);
  if (!json.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "no xDS bootstrap: set ", kBootstrapFileVariable, " to the path of a JSON file, or ",
        kBootstrapTextVariable, " to the JSON itself"));
  }
  absl::StatusOr<Bootstrap> bootstrap = Bootstrap::Parse(*json);
  if (!bootstrap.ok()) return At(kBootstrapTextVariable, bootstrap.status());
  return bootstrap;
}

const std::vector<std::string>& Bootstrap::warnings() const { return parsed_->warnings; }

DataErrorHandling DataErrorHandlingFromEnvironment() {
  return ReadDataErrorHandling(ReadVariable(kDataErrorHandlingVariable));
}

}  // namespace holdfast
