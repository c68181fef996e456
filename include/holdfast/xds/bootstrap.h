// What a process is told about its xDS servers: gRPC's bootstrap.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

struct ParsedBootstrap;

// An immutable value, cheap to copy.
class Bootstrap {
 public:
  // From the file named by GRPC_XDS_BOOTSTRAP, else from the text in GRPC_XDS_BOOTSTRAP_CONFIG.
  // FAILED_PRECONDITION with a sentence that says what to do if neither is set; the error of the
  // file, or INVALID_ARGUMENT with all mistakes, if it cannot be used.
  HOLDFAST_EXPORT static absl::StatusOr<Bootstrap> FromEnvironment();

  // INVALID_ARGUMENT with all mistakes in one line.
  HOLDFAST_EXPORT static absl::StatusOr<Bootstrap> Parse(absl::string_view json);

  // What is odd but harmless, one line each. A client logs them when it is created.
  HOLDFAST_EXPORT const std::vector<std::string>& warnings() const;

  // For Holdfast itself.
  const ParsedBootstrap& parsed() const { return *parsed_; }

 private:
  explicit Bootstrap(std::shared_ptr<const ParsedBootstrap> parsed);

  std::shared_ptr<const ParsedBootstrap> parsed_;
};

}  // namespace holdfast
