#include "app/result_lines.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {

ResultLines::ResultLines(int file)
    : file_(file), failure_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  HOLDFAST_CHECK(failure_event_ >= 0);
}

ResultLines::~ResultLines() { ::close(failure_event_); }

void ResultLines::Write(absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  absl::MutexLock lock(&mutex_);
  absl::string_view rest = text;
  while (!rest.empty() && failure_.ok()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      Fail(absl::CancelledError("nobody reads the results any more"));
    } else if (errno == EAGAIN) {
      // Somebody made the file non-blocking, maybe for another program that shares it.
      pollfd writable = {file_, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      Fail(absl::ErrnoToStatus(errno, "cannot write the results"));
    }
  }
}

absl::Status ResultLines::failure() const {
  absl::MutexLock lock(&mutex_);
  return failure_;
}

void ResultLines::Fail(absl::Status failure) {
  failure_ = std::move(failure);
  const uint64_t one = 1;
  HOLDFAST_CHECK(::write(failure_event_, &one, sizeof(one)) == sizeof(one));
}

}  // namespace holdfast
