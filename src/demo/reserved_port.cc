#include "demo/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {

ReservedPort::ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  HOLDFAST_CHECK(::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0);
  HOLDFAST_CHECK(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  HOLDFAST_CHECK(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
}

ReservedPort::~ReservedPort() { ::close(socket_); }

}  // namespace holdfast
