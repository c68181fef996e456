// The admin port over real sockets, with clients that mean no good.
#include "control/admin_http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kThreads = 16;  // as many connections are served at once

class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // False if the other side is gone.
  bool Send(absl::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // All that comes until the other side closes.
  std::string ReadAll() {
    std::string all;
    char part[4096];
    while (true) {
      pollfd one = {socket_, POLLIN, 0};
      if (::poll(&one, 1, static_cast<int>(absl::ToInt64Milliseconds(kPatience))) <= 0) {
        ADD_FAILURE() << "the connection stays open, after " << all;
        return all;
      }
      const ssize_t received = ::recv(socket_, part, sizeof(part), 0);
      if (received <= 0) return all;
      all.append(part, static_cast<size_t>(received));
    }
  }

 private:
  const int socket_;
};

std::unique_ptr<AdminHttp> StartAdmin(absl::Duration request_patience = absl::Seconds(5)) {
  AdminHttpOptions options;
  options.request_patience = request_patience;
  options.health = [] { return ControlPlaneHealth{}; };
  options.metrics = [] { return std::string(1'000, 'm'); };
  absl::StatusOr<std::unique_ptr<AdminHttp>> admin = AdminHttp::Start(std::move(options));
  EXPECT_TRUE(admin.ok()) << admin.status();
  return *std::move(admin);
}

std::string Get(int port, absl::string_view path, absl::string_view headers = "") {
  RawConnection connection(port);
  connection.Send(
      absl::StrCat("GET ", path, " HTTP/1.1\r\nConnection: close\r\n", headers, "\r\n"));
  return connection.ReadAll();
}

TEST(AdminHttp, AnswersWhileOthersDripTheirRequests) {
  // As if it were for ever: what ends them is that somebody else comes.
  const std::unique_ptr<AdminHttp> admin = StartAdmin(/*request_patience=*/absl::Hours(1));
  std::vector<std::unique_ptr<RawConnection>> dripping;
  for (int i = 0; i < 3 * kThreads; ++i) {
    dripping.push_back(std::make_unique<RawConnection>(admin->port()));
    EXPECT_TRUE(dripping.back()->Send("GET /healthz HTTP/1.1\r\nX-Slow: "));
  }
  std::atomic<bool> is_over = false;
  std::thread drip([&] {
    while (!is_over) {
      for (const auto& one : dripping) one->Send("x");
      absl::SleepFor(absl::Milliseconds(10));
    }
  });
  EXPECT_THAT(Get(admin->port(), "/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("ok\n")));
  is_over = true;
  drip.join();
}

TEST(AdminHttp, AnswersWhileOthersSayNothing) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin(/*request_patience=*/absl::Hours(1));
  std::vector<std::unique_ptr<RawConnection>> silent;
  for (int i = 0; i < 3 * kThreads; ++i) {
    silent.push_back(std::make_unique<RawConnection>(admin->port()));
  }
  EXPECT_THAT(Get(admin->port(), "/healthz"), StartsWith("HTTP/1.1 200 "));
}

TEST(AdminHttp, EndsWhileOthersDripTheirRequests) {
  std::unique_ptr<AdminHttp> admin = StartAdmin(/*request_patience=*/absl::Hours(1));
  std::vector<std::unique_ptr<RawConnection>> dripping;
  for (int i = 0; i < 2 * kThreads; ++i) {
    dripping.push_back(std::make_unique<RawConnection>(admin->port()));
    EXPECT_TRUE(dripping.back()->Send("GET /healthz HTTP/1.1\r\nX-Slow: "));
  }
  std::atomic<bool> is_over = false;
  std::thread drip([&] {
    while (!is_over) {
      for (const auto& one : dripping) one->Send("x");
      absl::SleepFor(absl::Milliseconds(10));
    }
  });
  const absl::Time start = absl::Now();
  admin.reset();
  EXPECT_LT(absl::Now() - start, kPatience);
  is_over = true;
  drip.join();
}

TEST(AdminHttp, CutsOffWhoTakesTooLong) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin(absl::Milliseconds(100));
  RawConnection slow(admin->port());
  ASSERT_TRUE(slow.Send("GET /healthz HTTP/1.1\r\n"));
  EXPECT_THAT(slow.ReadAll(), AllOf(StartsWith("HTTP/1.1 408 "),
                                    EndsWith("\r\n\r\nthe request took too long to come\n")));
}

TEST(AdminHttp, CutsOffEndlessHeads) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  for (const std::string start : {"GET /", "GET /healthz HTTP/1.1\r\nX-Long: "}) {
    RawConnection endless(admin->port());
    ASSERT_TRUE(endless.Send(start));
    // What the kernels on both sides hold of it is more than what is read.
    constexpr size_t kFarTooMuch = size_t{64} << 20;
    const std::string part(4096, 'x');
    size_t sent = 0;
    while (sent < kFarTooMuch && endless.Send(part)) sent += part.size();
    EXPECT_LT(sent, kFarTooMuch);
  }
  RawConnection longer(admin->port());
  longer.Send(absl::StrCat("GET /healthz HTTP/1.1\r\nX-Long: ", std::string(65 << 10, 'x')));
  EXPECT_THAT(longer.ReadAll(), AllOf(StartsWith("HTTP/1.1 431 "),
                                      EndsWith("\r\n\r\na request has at most 65536 bytes\n")));
}

TEST(AdminHttp, CutsOffManyHeaders) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  std::string head = "GET /healthz HTTP/1.1\r\n";
  while (head.size() <= (65 << 10)) absl::StrAppend(&head, "X-", head.size(), ": y\r\n");
  RawConnection many(admin->port());
  many.Send(head);
  EXPECT_THAT(many.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST(AdminHttp, AnswersSeveralRequestsOfAConnection) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  RawConnection connection(admin->port());
  ASSERT_TRUE(connection.Send(
      "GET /healthz HTTP/1.1\r\n\r\nGET /readyz HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(connection.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("ok\nHTTP/1.1 503 "),
                    EndsWith("not ready: there is no good configuration yet\n")));
}

TEST(AdminHttp, IgnoresRanges) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  std::string ranges = "Range: bytes=0-";
  while (ranges.size() < 8'000) ranges += ",0-";
  for (const std::string& range : {ranges, std::string("Range: bytes=2-3")}) {
    const std::string answer = Get(admin->port(), "/metrics", range + "\r\n");
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\r\nAccept-Ranges: none\r\n"),
                              EndsWith("\r\n\r\n" + std::string(1'000, 'm'))));
    EXPECT_LT(answer.size(), 2'000u);
  }
}

TEST(AdminHttp, TakesNoBodies) {
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  RawConnection connection(admin->port());
  ASSERT_TRUE(connection.Send(
      "POST /healthz HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(connection.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("\r\nAllow: GET, HEAD\r\n"),
                    HasSubstr("\r\nConnection: close\r\n"),
                    EndsWith("\r\n\r\nnothing can be changed here: there are GET and HEAD\n"),
                    Not(HasSubstr("HTTP/1.1 200"))));
}

// As many as the clients of a control plane.
TEST(AdminHttp, AnswersInAProcessWithManySockets) {
  constexpr int kMany = 1'100;
  rlimit limit = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < kMany + 100) GTEST_SKIP() << "no more than " << limit.rlim_max << " files";
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<int> files;
  for (int i = 0; i < kMany; ++i) files.push_back(::dup(STDERR_FILENO));
  const std::unique_ptr<AdminHttp> admin = StartAdmin();
  EXPECT_THAT(Get(admin->port(), "/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("ok\n")));
  for (const int file : files) ::close(file);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace holdfast
