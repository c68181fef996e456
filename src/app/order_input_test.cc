#include "app/order_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class OrderInputTest : public testing::Test {
 protected:
  OrderInputTest() { EXPECT_EQ(::pipe(ends_), 0); }
  ~OrderInputTest() override {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }

  void Write(absl::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseInput() { ::close(std::exchange(ends_[1], -1)); }

  // What one call hands out.
  std::vector<std::pair<size_t, std::string>> Read(OrderInput& input, bool goes_on = true) {
    std::vector<std::pair<size_t, std::string>> lines;
    EXPECT_EQ(input.ReadSome(
                  [&](size_t number, absl::string_view line) { lines.emplace_back(number, line); }),
              goes_on);
    return lines;
  }

  int ends_[2];
};

TEST_F(OrderInputTest, HandsOutLinesAsTheyAreComplete) {
  OrderInput input(ends_[0]);
  Write("watch cds/a\n\nwatch");
  EXPECT_THAT(Read(input), ElementsAre(Pair(1, "watch cds/a"), Pair(2, "")));
  Write(" cds/b");
  EXPECT_THAT(Read(input), IsEmpty());
  Write("\n");
  EXPECT_THAT(Read(input), ElementsAre(Pair(3, "watch cds/b")));
}

TEST_F(OrderInputTest, TheEndCompletesTheLastLine) {
  OrderInput input(ends_[0]);
  Write("one\ntwo");
  EXPECT_THAT(Read(input), ElementsAre(Pair(1, "one")));
  CloseInput();
  EXPECT_THAT(Read(input, /*goes_on=*/false), ElementsAre(Pair(2, "two")));
}

TEST_F(OrderInputTest, ALineMayBeLongerThanWhatOneReadBrings) {
  OrderInput input(ends_[0]);
  const std::string name(10'000, 'x');
  Write(name + "\n");
  EXPECT_THAT(Read(input), IsEmpty());
  EXPECT_THAT(Read(input), IsEmpty());
  EXPECT_THAT(Read(input), ElementsAre(Pair(1, name)));
}

}  // namespace
}  // namespace holdfast
