#include "demo/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace holdfast {
namespace {

constexpr size_t kUsualColumns = 100;

}  // namespace

void Screen::Say(const std::vector<std::string>& lines) {
  std::string text = OverLiveLines();
  for (const std::string& line : lines) absl::StrAppend(&text, line, "\n");
  Write(text);
}

void Screen::Show(const std::vector<std::string>& live) {
  if (!redraws_) return;
  std::string text = OverLiveLines();
  for (const std::string& line : live) absl::StrAppend(&text, line, "\n");
  live_lines_ = live.size();
  Write(text);
}

size_t Screen::columns() const {
  winsize size = {};
  if (::ioctl(file_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

std::string Screen::OverLiveLines() {
  if (live_lines_ == 0) return "";
  // Up to the first of them, and clear to the end of the screen.
  const std::string text = absl::StrCat("\033[", live_lines_, "A\r\033[J");
  live_lines_ = 0;
  return text;
}

void Screen::Write(const std::string& text) {
  absl::string_view rest = text;
  while (!rest.empty() && !is_broken_) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd writable = {file_, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      is_broken_ = true;
    }
  }
}

}  // namespace holdfast
