// The three doors of gRFC A54, each with every code there is.
#include "channel/call/call_switch.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

using Kind = Direction::Kind;

// All seventeen, in their order, and which of them an application may see of us.
struct Code {
  absl::StatusCode said;
  bool may_pass;
};
constexpr Code kCodes[] = {
    {absl::StatusCode::kOk, false},
    {absl::StatusCode::kCancelled, true},
    {absl::StatusCode::kUnknown, true},
    {absl::StatusCode::kInvalidArgument, false},
    {absl::StatusCode::kDeadlineExceeded, true},
    {absl::StatusCode::kNotFound, false},
    {absl::StatusCode::kAlreadyExists, false},
    {absl::StatusCode::kPermissionDenied, true},
    {absl::StatusCode::kResourceExhausted, true},
    {absl::StatusCode::kFailedPrecondition, false},
    {absl::StatusCode::kAborted, false},
    {absl::StatusCode::kOutOfRange, false},
    {absl::StatusCode::kUnimplemented, true},
    {absl::StatusCode::kInternal, true},
    {absl::StatusCode::kUnavailable, true},
    {absl::StatusCode::kDataLoss, false},
    {absl::StatusCode::kUnauthenticated, true},
};

std::string Words(absl::StatusCode code, absl::string_view message) {
  return absl::StrCat(absl::StatusCodeToString(code), ": ", message);
}

// What a call sees when `door` said `said` in the words `message`; `quoted` are they in quotes.
std::string Expected(const Code& code, absl::string_view door, absl::string_view message,
                     absl::string_view quoted) {
  if (code.may_pass) return Words(code.said, message);
  return absl::StrCat("INTERNAL: bug in the control plane: ", door, " failed the call with ",
                      absl::StatusCodeToString(code.said),
                      ", a code for the application's own answers; its message was ", quoted);
}

class FixedSelector final : public ConfigSelector {
 public:
  explicit FixedSelector(RouteChoice choice) : choice_(std::move(choice)) {}
  RouteChoice Choose(const RoutedCall&, Chance) const override { return choice_; }

 private:
  const RouteChoice choice_;
};

class FixedPicker final : public Picker {
 public:
  explicit FixedPicker(PickResult result) : result_(std::move(result)) {}
  PickResult Pick(const RoutedCall&, Chance) const override { return result_; }
  std::string Text() const override { return "fixed"; }

 private:
  const PickResult result_;
};

class CallSwitchTest : public testing::Test {
 protected:
  // "fail CODE: text" of a call.
  std::string Directed() {
    std::shared_ptr<WaitingPlace> place;
    const std::multimap<std::string, std::string> metadata;
    const Direction direction = switch_.Direct(RoutedCall{"/acme.Pay/Charge", metadata}, place);
    if (direction.kind == Kind::kWait) return absl::StrCat("wait for ", direction.waits_for);
    return absl::StrCat(direction.kind == Kind::kDrop ? "drop " : "fail ",
                        Words(static_cast<absl::StatusCode>(direction.status.error_code()),
                              direction.status.error_message()));
  }

  // Everything goes to one cluster, whose picker says this.
  void Pick(PickResult result) {
    auto entrance = std::make_shared<ClusterEntrance>("pay", loop_);
    entrance->picker.Set(std::make_shared<const FixedPicker>(std::move(result)));
    Routing routing;
    routing.selector = std::make_shared<const FixedSelector>(RouteChoice());
    routing.entrances = {std::move(entrance)};
    switch_.Publish(std::make_shared<const Routing>(std::move(routing)));
  }

  ControlLoop loop_;
  CallSwitch switch_{"xds:///pay", loop_};
};

TEST_F(CallSwitchTest, MakesACallWaitWhileNothingIsKnown) {
  EXPECT_EQ(Directed(), "wait for target \"xds:///pay\": its configuration has not come yet");
}

// R15.01, R15.02, R15.03, R15.04, R15.10
TEST_F(CallSwitchTest, LetsNoCodeOfTheApplicationThroughFromTheResolver) {
  for (const Code& code : kCodes) {
    Routing routing;
    routing.failure = absl::Status(code.said, "no \"pay\"");
    switch_.Publish(std::make_shared<const Routing>(std::move(routing)));
    EXPECT_EQ(Directed(), absl::StrCat("fail ", Expected(code, "the resolver", "no \"pay\"",
                                                         // absl keeps no message with OK.
                                                         code.said == absl::StatusCode::kOk
                                                             ? R"("")"
                                                             : R"("no \"pay\"")")));
  }
}

// R15.01, R15.02, R15.03, R15.04, R15.10, R11.36: with the target and what is wrong around the
// routes.
TEST_F(CallSwitchTest, LetsNoCodeOfTheApplicationThroughFromTheConfigSelector) {
  for (const Code& code : kCodes) {
    Routing routing;
    routing.selector = std::make_shared<const FixedSelector>(
        RouteChoice{.failure = absl::Status(code.said, "no route")});
    routing.entrances = {std::make_shared<ClusterEntrance>("pay", loop_)};
    routing.note = "listener \"pay\": stale";
    switch_.Publish(std::make_shared<const Routing>(std::move(routing)));
    EXPECT_EQ(
        Directed(),
        absl::StrCat(
            "fail ",
            Expected(code, "the config selector",
                     "target \"xds:///pay\": no route (listener \"pay\": stale)",
                     code.said == absl::StatusCode::kOk
                         ? R"("")"
                         : R"x("target \"xds:///pay\": no route (listener \"pay\": stale)")x")));
  }
}

// R15.01, R15.02, R15.03, R15.04, R15.07, R15.10
TEST_F(CallSwitchTest, LetsNoCodeOfTheApplicationThroughFromAPick) {
  for (const Code& code : kCodes) {
    const absl::Status said(code.said, "no \"pay\"");
    const std::string expected = Expected(code, "the load balancer", "no \"pay\"",
                                          // absl keeps no message with OK.
                                          said.ok() ? R"("")" : R"("no \"pay\"")");
    Pick(PickResult::Fail(said));
    EXPECT_EQ(Directed(), absl::StrCat("fail ", expected));
    Pick(PickResult::Drop(said));
    EXPECT_EQ(Directed(), absl::StrCat("drop ", expected));
  }
}

}  // namespace
}  // namespace holdfast
