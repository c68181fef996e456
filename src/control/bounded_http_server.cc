#include "control/bounded_http_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "control/steady_clock.h"

namespace holdfast {
namespace {

// The probes and scrapers of one process are fewer.
constexpr size_t kThreads = 16;
constexpr size_t kMostWaiting = 4 * kThreads;
constexpr int kBacklog = 512;
constexpr size_t kMostRequestBytes = size_t{64} << 10;
constexpr int kMostRequests = 100;  // of one connection

// How long somebody is waited for: as a rule, while others wait for a thread, and at the end.
struct Patience {
  absl::Duration alone;
  absl::Duration crowded;
  absl::Duration ending;
};
constexpr absl::Duration kCrowdedRequest = absl::Milliseconds(250);
constexpr Patience kIdle = {absl::Seconds(1), absl::ZeroDuration(), absl::ZeroDuration()};
constexpr Patience kAnswer = {absl::Seconds(30), absl::Seconds(2), absl::Milliseconds(250)};
// How soon a change of that is noticed.
constexpr int kSliceMs = 20;

std::string Refusal(absl::string_view status, absl::string_view text) {
  return absl::StrCat("HTTP/1.1 ", status,
                      "\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
                      "Content-Length: ",
                      text.size(), "\r\n\r\n", text);
}

// What is still unread would make the kernel take back what was just sent.
void Discard(socket_t socket) {
  std::array<char, 4096> ignored;
  for (size_t left = kMostRequestBytes / ignored.size(); left > 0; --left) {
    if (::recv(socket, ignored.data(), ignored.size(), MSG_DONTWAIT) <= 0) return;
  }
}

bool HasBody(const httplib::Request& request) {
  return (request.method != "GET" && request.method != "HEAD") ||
         request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
}

}  // namespace

// Counts who has one, and who waits for one.
class BoundedHttpServer::Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(BoundedHttpServer& server) : server_(server), pool_(kThreads) {}

  void enqueue(std::function<void()> task) override {
    ++server_.waiting_;
    pool_.enqueue([this, task = std::move(task)] {
      --server_.waiting_;
      ++server_.busy_;
      task();
      --server_.busy_;
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  BoundedHttpServer& server_;
  httplib::ThreadPool pool_;
};

class BoundedHttpServer::Connection final : public httplib::Stream {
 public:
  Connection(socket_t socket, const BoundedHttpServer& server) : socket_(socket), server_(server) {}

  void BeginRequest() {
    bytes_left_ = kMostRequestBytes;
    is_answering_ = false;
    since_ = SteadyNow();
  }

  // After an answer. False: none comes.
  bool AwaitNext() {
    since_ = SteadyNow();
    return next_ < end_ || Wait(POLLIN, kIdle);
  }

  // Why the request was not read to its end, as it is to be told; empty: it was, or nobody listens.
  const std::string& refusal() const { return refusal_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }

  ssize_t read(char* to, size_t size) override {
    if (next_ == end_ && !Fill()) return -1;
    const size_t taken = std::min({size, end_ - next_, bytes_left_});
    if (taken == 0) {
      refusal_ = Refusal("431 Request Header Fields Too Large",
                         absl::StrCat("a request has at most ", kMostRequestBytes, " bytes\n"));
      return -1;
    }
    std::copy_n(buffer_.data() + next_, taken, to);
    next_ += taken;
    bytes_left_ -= taken;
    return static_cast<ssize_t>(taken);
  }

  ssize_t write(const char* from, size_t size) override {
    if (!refusal_.empty()) return -1;  // that is the answer
    if (!std::exchange(is_answering_, true)) since_ = SteadyNow();
    while (Wait(POLLOUT, kAnswer)) {
      const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) return sent;
      if (errno != EAGAIN && errno != EINTR) return -1;
    }
    return -1;
  }

  // Nobody asks for them.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  // It is looked at only to find out whether select() can take it, which a process with a thousand
  // clients has to say no to. We poll.
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  bool Fill() {
    const Patience patience = {server_.request_patience_, kCrowdedRequest, absl::ZeroDuration()};
    while (Wait(POLLIN, patience)) {
      const ssize_t received = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (received > 0) {
        next_ = 0;
        end_ = static_cast<size_t>(received);
        return true;
      }
      if (received == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    }
    // To somebody who has said nothing, nothing is said.
    if (bytes_left_ < kMostRequestBytes) {
      refusal_ = Refusal("408 Request Timeout", "the request took too long to come\n");
    }
    return false;
  }

  bool Wait(short events, const Patience& patience) {
    while (true) {
      const absl::Duration longest = server_.is_ending_    ? patience.ending
                                     : server_.IsCrowded() ? patience.crowded
                                                           : patience.alone;
      if (SteadyNow() - since_ > longest) return false;
      pollfd one = {socket_, events, 0};
      const int ready = ::poll(&one, 1, kSliceMs);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) return false;
    }
  }

  const socket_t socket_;
  const BoundedHttpServer& server_;
  absl::Time since_;  // the request, or its answer, began
  bool is_answering_ = false;
  size_t bytes_left_ = 0;
  std::string refusal_;
  // Received and not read.
  std::array<char, 4096> buffer_;
  size_t next_ = 0;
  size_t end_ = 0;
};

BoundedHttpServer::BoundedHttpServer(absl::Duration request_patience)
    : request_patience_(request_patience) {
  new_task_queue = [this] { return new Threads(*this); };
  set_default_headers({{"Accept-Ranges", "none"}});
}

bool BoundedHttpServer::IsCrowded() const { return waiting_ > 0 && busy_ >= kThreads; }

void BoundedHttpServer::WidenBacklog() { ::listen(svr_sock_, kBacklog); }

void BoundedHttpServer::End() {
  is_ending_ = true;
  stop();
}

bool BoundedHttpServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, *this);
  std::string refusal;
  if (waiting_ > kMostWaiting) {
    refusal = Refusal("503 Service Unavailable", "too many connections; try again\n");
  } else {
    Converse(connection);
    refusal = connection.refusal();
  }
  if (!refusal.empty()) {
    ::send(socket, refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(socket, SHUT_WR);
    Discard(socket);
  }
  ::shutdown(socket, SHUT_RDWR);
  return ::close(socket) == 0;
}

void BoundedHttpServer::Converse(Connection& connection) {
  for (int left = kMostRequests; left > 0; --left) {
    connection.BeginRequest();
    bool is_last = left == 1;
    bool was_closed = false;
    const bool was_answered =
        process_request(connection, is_last, was_closed, [&](httplib::Request& request) {
          // A body would be built of each range, however often it comes.
          request.ranges.clear();
          if (!HasBody(request)) return;
          // Nobody reads it, so that what comes next is no request.
          is_last = true;
          request.headers.erase("Connection");
          request.set_header("Connection", "close");
        });
    if (!was_answered || was_closed || is_last || !connection.refusal().empty()) return;
    if (!connection.AwaitNext()) return;
  }
}

}  // namespace holdfast
