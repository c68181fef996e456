#include "app/watch_loop.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "app/fleet_source.h"
#include "explain/age_text.h"

namespace holdfast {
namespace {

constexpr absl::Duration kInterval = absl::Seconds(2);

}  // namespace

ExitCode WatchLoop::Run(absl::FunctionRef<absl::StatusOr<std::string>(ResultLines&)> show) {
  ResultLines lines(STDOUT_FILENO);
  do {
    const absl::StatusOr<std::string> caution = show(lines);
    if (!caution.ok() && IsStopped()) break;  // Nobody wants to hear what the signal ended.
    SayOnce(caution.ok() ? *caution : std::string(caution.status().message()));
  } while (Wait(lines));
  return EndOf(command_, lines, ExitCode::kFine);
}

// Again and again the same would hide what is new.
void WatchLoop::SayOnce(const std::string& sentence) {
  if (sentence != said_ && !sentence.empty()) SayAs(command_, sentence);
  said_ = sentence;
}

bool WatchLoop::IsStopped() const {
  pollfd stop = {stop_.event(), POLLIN, 0};
  return ::poll(&stop, 1, 0) > 0;
}

bool WatchLoop::Wait(const ResultLines& lines) const {
  pollfd files[] = {{stop_.event(), POLLIN, 0}, {lines.failure_event(), POLLIN, 0}};
  return ::poll(files, std::size(files), static_cast<int>(absl::ToInt64Milliseconds(kInterval))) ==
         0;
}

void BeginAnswer(absl::Time time, ResultLines& lines) {
  const bool can_clear = ::isatty(STDOUT_FILENO) != 0 && !TerminalIsDumb();
  lines.Write(absl::StrCat(can_clear ? "\x1b[H\x1b[2J" : "", "--- ", TimeText(time)));
}

}  // namespace holdfast
