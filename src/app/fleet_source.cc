#include "app/fleet_source.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/listen_address.h"
#include "base/check.h"

namespace holdfast {

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kFine;
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) {
    return ExitCode::kUnreachable;
  }
  if (absl::IsPermissionDenied(status) || absl::IsUnauthenticated(status)) return ExitCode::kDenied;
  return ExitCode::kBadInput;
}

void SayAs(absl::string_view command, absl::string_view sentence) {
  std::fprintf(stderr, "%s\n", absl::StrCat("holdfast ", command, ": ", sentence).c_str());
}

void IgnoreBrokenPipes() { HOLDFAST_CHECK(std::signal(SIGPIPE, SIG_IGN) != SIG_ERR); }

ExitCode EndOf(absl::string_view command, const ResultLines& lines, ExitCode result) {
  const absl::Status failure = lines.failure();
  if (failure.ok() || absl::IsCancelled(failure)) return result;
  SayAs(command, failure.message());
  return ExitCode::kUnexpected;
}

std::optional<ExitCode> CheckAddress(absl::string_view command, absl::string_view option,
                                     absl::string_view address) {
  const absl::string_view bare = absl::StripSuffix(absl::StripPrefix(address, "http://"), "/");
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(bare);
  if (!parsed.ok()) {
    // Its own example is of somebody who listens.
    const absl::string_view message = parsed.status().message();
    return UsageError(command,
                      absl::StrCat(option, " ", message.substr(0, message.rfind("; write")),
                                   "; write HOST:PORT, as in ", kDefaultServer));
  }
  if (parsed->port != 0) return std::nullopt;
  return UsageError(command, absl::StrCat(option, " ", address, ": nobody listens on port 0"));
}

size_t StdoutWidth() {
  winsize size = {};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace holdfast
