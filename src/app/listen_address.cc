#include "app/listen_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

absl::Status NoAddress(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      Quoted(text), ": ", why, "; write HOST:PORT, as in 127.0.0.1:0 for any free port"));
}

}  // namespace

std::string ListenAddress::WithPort(int number) const {
  return absl::StrCat(written_host, ":", number);
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  if (colon == absl::string_view::npos || (bracket != absl::string_view::npos && colon < bracket)) {
    return NoAddress(text, "there is no port");
  }
  ListenAddress address;
  absl::string_view host = text.substr(0, colon);
  address.written_host = std::string(host);
  const absl::string_view port = text.substr(colon + 1);
  uint32_t number = 0;
  if (!absl::SimpleAtoi(port, &number) || number > 65535) {
    return NoAddress(text, absl::StrCat(Quoted(port), " is no port"));
  }
  address.port = static_cast<int>(number);
  const bool has_brackets = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  if (!has_brackets && absl::StrContains(host, ":")) {
    return NoAddress(text, "an IPv6 address stands in brackets");
  }
  if (host.empty()) return NoAddress(text, "there is no host");
  address.host = std::string(host);
  return address;
}

absl::Status CannotListen(const ListenAddress& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address.Text(), ": ", why));
}

absl::Status TryToListen(const ListenAddress& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem =
      ::getaddrinfo(address.host.c_str(), absl::StrCat(address.port).c_str(), &hints, &found);
  if (problem != 0) return CannotListen(address, ::gai_strerror(problem));
  absl::Status status;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    const int socket = ::socket(next->ai_family, next->ai_socktype | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    const bool listens = socket >= 0 && ::bind(socket, next->ai_addr, next->ai_addrlen) == 0 &&
                         ::listen(socket, 1) == 0;
    status = listens ? absl::OkStatus() : CannotListen(address, std::strerror(errno));
    if (socket >= 0) ::close(socket);
    if (listens) break;
  }
  ::freeaddrinfo(found);
  return status;
}

}  // namespace holdfast
