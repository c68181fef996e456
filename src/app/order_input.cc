#include "app/order_input.h"

#include <unistd.h>

#include <cerrno>

namespace holdfast {

bool OrderInput::ReadSome(
    const std::function<void(size_t number, absl::string_view line)>& handle) {
  char buffer[4096];
  const ssize_t length = ::read(file_, buffer, sizeof(buffer));
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (length > 0) {
    unfinished_.append(buffer, static_cast<size_t>(length));
    HandOutLines(handle);
    return true;
  }
  if (!unfinished_.empty()) handle(++lines_, unfinished_);
  return false;
}

void OrderInput::HandOutLines(
    const std::function<void(size_t number, absl::string_view line)>& handle) {
  absl::string_view rest = unfinished_;
  for (size_t end; (end = rest.find('\n')) != absl::string_view::npos;) {
    handle(++lines_, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  unfinished_ = std::string(rest);
}

}  // namespace holdfast
