// The reason that a call quotes is the newest one, however long its endpoint is away.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "base/check.h"
#include "tests/end_to_end/channel/promise_scene.h"

namespace holdfast {
namespace {

// Takes every connection and hangs up.
class RudeServer {
 public:
  explicit RudeServer(const std::string& address)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::vector<std::string> parts = absl::StrSplit(address, ':');
    int port = 0;
    HOLDFAST_CHECK(absl::SimpleAtoi(parts[1], &port));
    const int yes = 1;
    sockaddr_in where = {};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(static_cast<uint16_t>(port));
    HOLDFAST_CHECK(::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0);
    HOLDFAST_CHECK(::bind(socket_, reinterpret_cast<sockaddr*>(&where), sizeof(where)) == 0);
    HOLDFAST_CHECK(::listen(socket_, 16) == 0);
    thread_ = std::thread([this] {
      for (int taken = Accept(); taken >= 0; taken = Accept()) ::close(taken);
    });
  }
  ~RudeServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  RudeServer(const RudeServer&) = delete;
  RudeServer& operator=(const RudeServer&) = delete;

 private:
  int Accept() const { return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

  const int socket_;
  std::thread thread_;
};

// R11.34, R11.36
TEST(PromisedReason, IsTheNewest) {
  Scene scene(Listeners(), {});
  scene.PutAll();
  scene.ExpectOk();
  scene.backend().Kill();
  scene.ExpectEventually(scene.UnreachableWords(kNodeNote));
  {
    const RudeServer rude(scene.backend().address());
    std::string last;
    EXPECT_TRUE(Eventually([&] {
      last = Words(scene.channel().Call().status);
      return !absl::StrContains(last, "Connection refused");
    })) << last;
    EXPECT_TRUE(absl::StartsWith(last,
                                 "UNAVAILABLE: cluster \"pay\": no endpoint can be reached; "
                                 "last error: ipv4:"))
        << last;
  }
  scene.ExpectEventually(scene.UnreachableWords(kNodeNote));
  scene.backend().Restart();
  scene.ExpectEventually("OK");
}

}  // namespace
}  // namespace holdfast
