#include "tests/end_to_end/runtime/tunnel.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in where = {};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(port);
  return where;
}

int NewSocket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  HOLDFAST_CHECK(made >= 0);
  return made;
}

// What has come, all of it. False: there is no more.
bool PassOn(int from, int to) {
  char bytes[16384];
  const ssize_t got = read(from, bytes, sizeof(bytes));
  if (got <= 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t more = send(to, bytes + sent, static_cast<size_t>(got - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

void CloseWithReset(int connection) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(connection);
}

}  // namespace

int BoundSocket(uint16_t& port) {
  const int made = NewSocket();
  const int yes = 1;
  HOLDFAST_CHECK(setsockopt(made, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) == 0);
  sockaddr_in where = Loopback(0);
  socklen_t size = sizeof(where);
  HOLDFAST_CHECK(bind(made, reinterpret_cast<sockaddr*>(&where), size) == 0);
  HOLDFAST_CHECK(getsockname(made, reinterpret_cast<sockaddr*>(&where), &size) == 0);
  port = ntohs(where.sin_port);
  return made;
}

Tunnel::Tunnel(uint16_t server_port) : listener_(BoundSocket(port_)) {
  HOLDFAST_CHECK(listen(listener_, 1) == 0);
  HOLDFAST_CHECK(pipe2(cut_, O_CLOEXEC) == 0);
  thread_ = std::thread([this, server_port] { PassBytesOn(server_port); });
}

Tunnel::~Tunnel() {
  if (thread_.joinable()) Cut();
}

std::string Tunnel::address() const { return absl::StrCat("127.0.0.1:", port_); }

void Tunnel::Cut() {
  close(cut_[1]);
  thread_.join();
  close(cut_[0]);
}

void Tunnel::PassBytesOn(uint16_t server_port) {
  pollfd before[] = {{listener_, POLLIN, 0}, {cut_[0], 0, 0}};
  poll(before, 2, -1);
  if (before[1].revents != 0) {
    close(listener_);
    return;
  }
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  close(listener_);
  const int server = NewSocket();
  const sockaddr_in where = Loopback(server_port);
  HOLDFAST_CHECK(connect(server, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0);
  for (bool is_whole = true; is_whole;) {
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}, {cut_[0], 0, 0}};
    poll(ends, 3, -1);
    is_whole = ends[2].revents == 0;
    if (is_whole && ends[0].revents != 0) is_whole = PassOn(client, server);
    if (is_whole && ends[1].revents != 0) is_whole = PassOn(server, client);
  }
  CloseWithReset(client);
  CloseWithReset(server);
}

}  // namespace holdfast
