#include "app/fleet_dial.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "app/listen_address.h"

namespace holdfast {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr char kNoAnswer[] = "no answer within 1s";

std::string ErrorText(int number) {
  std::string text = std::strerror(number);
  if (!text.empty()) text[0] = absl::ascii_tolower(static_cast<unsigned char>(text[0]));
  return text;
}

// "" if somebody accepts.
std::string Connect(const addrinfo& at) {
  const int file =
      ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol);
  if (file < 0) return ErrorText(errno);
  std::string error;
  if (::connect(file, at.ai_addr, at.ai_addrlen) != 0) {
    int number = errno;
    if (number == EINPROGRESS) {
      pollfd writable = {file, POLLOUT, 0};
      number = ETIMEDOUT;
      if (::poll(&writable, 1, static_cast<int>(kPatience.count())) > 0) {
        socklen_t size = sizeof(number);
        ::getsockopt(file, SOL_SOCKET, SO_ERROR, &number, &size);
      }
    }
    if (number != 0) error = number == ETIMEDOUT ? kNoAnswer : ErrorText(number);
  }
  ::close(file);
  return error;
}

std::string Dial(const std::string& address) {
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(address);
  if (!parsed.ok()) return "not HOST:PORT, so it cannot be tried";
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem =
      ::getaddrinfo(parsed->host.c_str(), absl::StrCat(parsed->port).c_str(), &hints, &found);
  if (problem != 0) return absl::StrCat("cannot look up the name: ", ::gai_strerror(problem));
  std::string error;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    error = Connect(*next);
    if (error.empty()) break;
  }
  ::freeaddrinfo(found);
  return error;
}

// What the dialling threads leave behind. They own a part of it: one that looks up a name in vain
// outlives whoever waits for it.
struct Results {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Dialled> dialled;
};

}  // namespace

std::map<std::string, Dialled> DialAll(const std::vector<std::string>& named) {
  const std::set<std::string> addresses(named.begin(), named.end());
  const auto results = std::make_shared<Results>();
  for (const std::string& address : addresses) {
    std::thread([results, address] {
      std::string error = Dial(address);
      const std::lock_guard<std::mutex> lock(results->mutex);
      results->dialled[address].error = std::move(error);
      results->changed.notify_all();
    }).detach();
  }
  std::unique_lock<std::mutex> lock(results->mutex);
  results->changed.wait_for(lock, kPatience + std::chrono::milliseconds(250),
                            [&] { return results->dialled.size() >= addresses.size(); });
  for (const std::string& address : addresses) {
    results->dialled.try_emplace(address, Dialled{kNoAnswer});
  }
  return results->dialled;
}

}  // namespace holdfast
