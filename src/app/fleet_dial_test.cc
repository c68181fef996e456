#include "app/fleet_dial.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace holdfast {
namespace {

// A port of 127.0.0.1: with nobody behind it, until it listens.
class Port {
 public:
  Port() : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    at_.sin_family = AF_INET;
    at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at_);
    EXPECT_EQ(::bind(file_, reinterpret_cast<sockaddr*>(&at_), size), 0);
    EXPECT_EQ(::getsockname(file_, reinterpret_cast<sockaddr*>(&at_), &size), 0);
  }
  ~Port() { ::close(file_); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  void Listen() { EXPECT_EQ(::listen(file_, 8), 0); }
  std::string address() const { return absl::StrCat("127.0.0.1:", ntohs(at_.sin_port)); }

 private:
  const int file_;
  sockaddr_in at_ = {};
};

TEST(FleetDial, SaysOfEachWhetherSomebodyAccepts) {
  Port open, shut;
  open.Listen();
  EXPECT_EQ(DialAll({open.address(), shut.address(), "nonsense"}),
            (std::map<std::string, Dialled>{
                {open.address(), {""}},
                {shut.address(), {"connection refused"}},
                {"nonsense", {"not HOST:PORT, so it cannot be tried"}},
            }));
  EXPECT_TRUE(DialAll({}).empty());
}

// Two servers of a bootstrap may have one address, and nobody waits for the second answer.
TEST(FleetDial, AnAddressThatComesTwiceIsTriedOnce) {
  const Port shut;
  absl::Duration least = absl::InfiniteDuration();  // of several: a machine may be busy
  for (int i = 0; i < 5; ++i) {
    const absl::Time begin = absl::Now();
    EXPECT_EQ(DialAll({shut.address(), shut.address()}),
              (std::map<std::string, Dialled>{{shut.address(), {"connection refused"}}}));
    least = std::min(least, absl::Now() - begin);
  }
  EXPECT_LT(least, absl::Seconds(1));
}

}  // namespace
}  // namespace holdfast
