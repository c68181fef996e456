// What `why` says of somebody who waits: for the control plane, or it for the client.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

FleetResource WaitingPay(Trouble trouble, std::string offered, std::optional<std::string> in_use,
                         int seconds_ago) {
  FleetResource pay;
  pay.type = std::string(kClusterTypeName);
  pay.name = "pay";
  pay.standing = Standing::kWaiting;
  pay.trouble = trouble;
  pay.offered = std::move(offered);
  pay.in_use = std::move(in_use);
  pay.since = kNow - absl::Seconds(seconds_ago);
  return pay;
}

constexpr char kLookAtWeb1[] =
    "look at client web-1: its process may be stopped, or too busy to read; an idle one with gRPC "
    "C++ 1.51 reads only every 5 s";
constexpr char kAskControlPlane[] =
    "wait for the answer: a client gives up after 15 s, or 30 s with "
    "resource_timer_is_transient_error; then see whether the control plane has it: holdfast why "
    "cds/pay --server 127.0.0.1:18080";
constexpr char kNothingInUse[] = "nothing: calls that need it fail, or wait";

TEST(WhyWaiting, WhoeverIsWaitedForIsNamed) {
  struct Row {
    Trouble trouble;
    std::string offered;
    std::optional<std::string> in_use;
    int seconds_ago;
    std::string summary;
    std::string in_use_text;
    std::string next;
  };
  const Row kRows[] = {
      // Nothing was sent: the control plane is waited for.
      {Trouble::kRequested, "", std::nullopt, 4, "cluster pay: REQUESTED (4 s of 15)",
       kNothingInUse, kAskControlPlane},
      {Trouble::kRequested, "", std::nullopt, 40,
       "cluster pay: REQUESTED (40 s, longer than clients wait)", kNothingInUse, kAskControlPlane},
      // It was sent: the client is.
      {Trouble::kUnanswered, "a1", std::nullopt, 0,
       "cluster pay: client web-1 was sent version a1 0s ago and has not answered yet",
       kNothingInUse, kLookAtWeb1},
      {Trouble::kUnanswered, "a1", std::nullopt, 40,
       "cluster pay: client web-1 was sent version a1 40s ago and has not answered yet",
       kNothingInUse, kLookAtWeb1},
      {Trouble::kUnanswered, "a1", "a0", 200,
       "cluster pay: client web-1 was sent version a1 3m ago and has not answered yet",
       "version a0, the last good one: calls go on with it", kLookAtWeb1},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.summary);
    ControlPlane plane;
    plane.Client(WaitingPay(row.trouble, row.offered, row.in_use, row.seconds_ago));
    plane.At(kClusterTypeName, "pay").clients = {.waiting = 1};
    const WhyVerdict verdict =
        Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known());
    EXPECT_EQ(verdict.finding, Finding::kWaiting);
    EXPECT_EQ(verdict.summary, row.summary);
    EXPECT_EQ(verdict.said_by, "");
    EXPECT_EQ(verdict.when, kNow - absl::Seconds(row.seconds_ago));
    EXPECT_EQ(verdict.in_use, row.in_use_text);
    EXPECT_EQ(verdict.next, row.next);
  }
}

TEST(WhyWaiting, AClientThatDoesNotAnswer) {
  ControlPlane plane;
  plane.Client(WaitingPay(Trouble::kUnanswered, "a1", "a0", 40));
  plane.At(kClusterTypeName, "pay").clients = {.waiting = 1};
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
◌ waiting        cluster pay            version a0 (newest: a1)  sent 40s ago, no answer yet  1 client: 1 waiting
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

broken    cluster pay: client web-1 was sent version a1 40s ago and has not answered yet
cause     waiting
when      40s ago, 2023-11-14T22:17:40.000Z
in use    version a0, the last good one: calls go on with it
next      look at client web-1: its process may be stopped, or too busy to read; an idle one with gRPC C++ 1.51 reads only every 5 s
)");
}

TEST(WhyWaiting, AControlPlaneThatDoesNotAnswer) {
  EXPECT_EQ(
      Why(AboutTarget(), {ListenerLink()},
          KnownFrom(EntryText(kListenerTypeName, "web", "",
                              absl::StrCat("client_status: REQUESTED last_updated ", Ago(4))))),
      R"(
◌ waiting    listener web  REQUESTED (4 s of 15)

broken    listener web: REQUESTED (4 s of 15)
cause     waiting
when      4s ago, 2023-11-14T22:18:16.000Z
in use    nothing: calls that need it fail, or wait
next      wait for the answer: a client gives up after 15 s, or 30 s with resource_timer_is_transient_error; then see whether the control plane has it: holdfast why lds/web --server 127.0.0.1:18080
also      whether the process can reach its control plane was not checked: CSDS does not say, and GRPC_XDS_BOOTSTRAP names none that can be tried from here
)");
}

// Counted, and not listed: nobody told who they are and since when.
TEST(WhyWaiting, ClientsThatAreOnlyCounted) {
  ControlPlane plane;
  const auto verdict = [&plane](FleetType clients) {
    plane.At(kClusterTypeName, "pay").clients = clients;
    return Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known());
  };
  EXPECT_EQ(verdict({.good = 1, .waiting = 1}).summary,
            "cluster pay: 1 of 2 clients was sent version a1 and has not answered yet");
  EXPECT_EQ(verdict({.waiting = 3}).summary,
            "cluster pay: 3 of 3 clients were sent version a1 and have not answered yet");
  EXPECT_EQ(verdict({.waiting = 3}).next,
            "look at whoever holdfast ps shows waiting: its process may be stopped, or too busy to "
            "read; an idle one with gRPC C++ 1.51 reads only every 5 s");
  plane.Client(WaitingPay(Trouble::kUnanswered, "a1", "a0", 40));
  EXPECT_EQ(verdict({.waiting = 3}).summary,
            "cluster pay: client web-1 and 2 more were sent version a1 and have not answered yet");
}

// Whoever was sent something has a control plane, though it cannot be reached from here.
TEST(WhyWaiting, AServerThatIsDownIsNotWhyAClientDoesNotAnswer) {
  Knowledge known = KnownFrom(ListenerEntry("web", "client_status: ACKED config_status: STALE"));
  known.servers.push_back({"127.0.0.1:18000", "connection refused"});
  const WhyVerdict verdict = Judge(AboutTarget(), Walk({ListenerLink()}, known, "web"), known);
  EXPECT_EQ(verdict.finding, Finding::kWaiting);
  EXPECT_EQ(verdict.summary,
            "listener web: client web-1 was sent the newest version 2m ago and has not answered "
            "yet");
  EXPECT_EQ(verdict.in_use, "version 41, the last good one: calls go on with it");
}

}  // namespace
}  // namespace holdfast
