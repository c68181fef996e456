#include "app/request_guard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace holdfast {

RequestGuard::RequestGuard(std::chrono::milliseconds patience, int stop, std::function<void()> end)
    : done_(::eventfd(0, EFD_CLOEXEC)) {
  HOLDFAST_CHECK(done_ >= 0);
  thread_ = std::thread([this, patience, stop, end = std::move(end)] {
    pollfd files[] = {{done_, POLLIN, 0}, {stop, POLLIN, 0}};
    int ready = 0;
    do {
      ready = ::poll(files, std::size(files), static_cast<int>(patience.count()));
    } while (ready < 0 && errno == EINTR);
    if ((files[0].revents & POLLIN) != 0) return;
    has_ended_it_ = true;
    end();
  });
}

RequestGuard::~RequestGuard() {
  const int failed = ::eventfd_write(done_, 1);
  HOLDFAST_CHECK(failed == 0);
  thread_.join();
  ::close(done_);
}

}  // namespace holdfast
