#include "app/result_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace holdfast {
namespace {

bool HasFailed(const ResultLines& lines) {
  pollfd event = {lines.failure_event(), POLLIN, 0};
  return ::poll(&event, 1, 0) == 1;
}

TEST(ResultLines, WritesWholeLinesAtOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ResultLines lines(ends[1]);
  lines.Write("one");
  lines.Write("");
  char read[16];
  EXPECT_EQ(std::string(read, static_cast<size_t>(::read(ends[0], read, sizeof(read)))), "one\n\n");
  EXPECT_EQ(lines.failure(), absl::OkStatus());
  EXPECT_FALSE(HasFailed(lines));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ResultLines, SaysWhenNobodyReadsAnyMore) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  ResultLines lines(ends[1]);
  lines.Write("one");
  lines.Write("two");
  EXPECT_EQ(lines.failure(), absl::CancelledError("nobody reads the results any more"));
  EXPECT_TRUE(HasFailed(lines));
  ::close(ends[1]);
}

TEST(ResultLines, SaysWhyItCannotWrite) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  ResultLines lines(full);
  lines.Write("one");
  EXPECT_EQ(lines.failure().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(lines.failure().message(), "cannot write the results: No space left on device");
  EXPECT_TRUE(HasFailed(lines));
  ::close(full);
}

}  // namespace
}  // namespace holdfast
