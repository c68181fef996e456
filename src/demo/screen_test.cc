#include "demo/screen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace holdfast {
namespace {

class ScreenTest : public testing::Test {
 protected:
  ScreenTest() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC | O_NONBLOCK), 0); }
  ~ScreenTest() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  std::string Seen() {
    char text[4096];
    const ssize_t size = ::read(ends_[0], text, sizeof(text));
    return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
  }

  int ends_[2];
};

TEST_F(ScreenTest, WritesLiveLinesOverEachOther) {
  Screen screen(ends_[1], /*redraws=*/true);
  screen.Say({"title"});
  screen.Show({"a 1", "b 1"});
  EXPECT_EQ(Seen(), "title\na 1\nb 1\n");
  screen.Show({"a 2", "b 2"});
  EXPECT_EQ(Seen(), "\033[2A\r\033[Ja 2\nb 2\n");
  screen.Say({"the end"});
  EXPECT_EQ(Seen(), "\033[2A\r\033[Jthe end\n");
  screen.Say({"really"});
  EXPECT_EQ(Seen(), "really\n");
}

TEST_F(ScreenTest, HasNoLiveLinesWhereItCannotGoBack) {
  Screen screen(ends_[1], /*redraws=*/false);
  screen.Say({"title"});
  screen.Show({"a 1", "b 1"});
  screen.Say({"the end"});
  EXPECT_EQ(Seen(), "title\nthe end\n");
  EXPECT_EQ(screen.columns(), 100U);
}

TEST_F(ScreenTest, KnowsWhenNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);
  int broken[2];
  ASSERT_EQ(::pipe(broken), 0);
  ::close(broken[0]);
  Screen screen(broken[1], /*redraws=*/false);
  EXPECT_FALSE(screen.is_broken());
  screen.Say({"title"});
  EXPECT_TRUE(screen.is_broken());
  ::close(broken[1]);
}

}  // namespace
}  // namespace holdfast
