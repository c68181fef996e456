// What `why` concludes from what a control plane says: names, files, clients, endpoints.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

FleetResource PayOf(Standing standing, Trouble trouble) {
  FleetResource resource;
  resource.type = std::string(kClusterTypeName);
  resource.name = "pay";
  resource.standing = standing;
  resource.trouble = trouble;
  resource.since = kNow - absl::Seconds(200);
  return resource;
}

TEST(Why, EverythingIsGood) {
  EXPECT_EQ(ControlPlane().WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✔ good           cluster pay            version a1  2 clients: 2 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

all good: every link of xds:///web is good, and 1 of 1 address answers from this machine
)");
}

TEST(Why, AWrongNameIsNotedWithTheNameThatWasMeant) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "wbe");
  plane.Say(kListenerTypeName, "wbe", "NOT_FOUND", "no listener \"wbe\" in the configuration",
            PlaneError::Origin::kMissing);
  EXPECT_EQ(plane.WhyTarget("wbe"), R"(
✖ failed     listener wbe

broken    listener wbe: it does not exist; did you mean web?
cause     wrong_name
said by   the control plane
said      NOT_FOUND: no listener "wbe" in the configuration
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      write web instead of wbe in the target of the client, or add listener wbe to the configuration
)");
}

TEST(Why, AWrongNameInTheConfigurationIsNotedWhereItStands) {
  ControlPlane plane;
  plane.At(kRouteConfigTypeName, "web").links = {
      .refers_to = {{std::string(kClusterTypeName), "payy"}}};
  plane.Remove(kClusterTypeName, "payy");
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✖ failed         cluster payy           not asked for

broken    cluster payy: it does not exist; did you mean pay?
cause     wrong_name
said by   the control plane
said      NOT_FOUND
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      write pay instead of payy in route configuration web, or add cluster payy to the configuration
)");
}

TEST(Why, ANameThatNothingResembles) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "billing");
  EXPECT_EQ(plane.WhyTarget("billing"), R"(
✖ failed     listener billing  not asked for

broken    listener billing: it does not exist
cause     does_not_exist
said by   the control plane
said      NOT_FOUND
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      add listener billing to the configuration, or correct the name where it is asked for
)");
}

// A list that was cut may have had another reason.
TEST(Why, ANameThatIsNotThereMayBeAmongTheErrorsThatWereLeftOut) {
  ControlPlane plane;
  plane.known().errors.more = 5;
  EXPECT_EQ(Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known()).also,
            std::vector<std::string>());
  plane.Remove(kListenerTypeName, "billing");
  EXPECT_EQ(plane.WhyTarget("billing"), R"(
✖ failed     listener billing  not asked for

broken    listener billing: it does not exist
cause     does_not_exist
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      add listener billing to the configuration, or correct the name where it is asked for
also      the control plane left out 5 errors that clients are told: whether what does not exist is among them, with another reason, is not known
)");
  plane.Say(kListenerTypeName, "billing", "NOT_FOUND", "none", PlaneError::Origin::kMissing);
  EXPECT_EQ(
      Judge(AboutTarget(), Walk({ListenerLink("billing")}, plane.known()), plane.known()).also,
      std::vector<std::string>());
}

TEST(Why, Denied) {
  ControlPlane plane;
  plane.Remove(kClusterTypeName, "pay");
  plane.Say(kClusterTypeName, "pay", "PERMISSION_DENIED", "team web may not read pay",
            PlaneError::Origin::kConfigured);
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✖ failed         cluster pay

broken    cluster pay: the control plane does not give it to client web-1 and 1 more
cause     denied
said by   the control plane
said      PERMISSION_DENIED: team web may not read pay
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      ask whoever owns cluster pay, or change what the control plane is told about it: in files of holdfast serve an errors: entry refuses it to everybody
)");
}

TEST(Why, InvalidWithoutALastGoodVersion) {
  ControlPlane plane;
  plane.Remove(kClusterTypeName, "pay");
  plane.Say(kClusterTypeName, "pay", "INTERNAL",
            "pay.yaml:4:3: error: resources[0].lb_policyy: unknown field",
            PlaneError::Origin::kInvalid);
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✖ failed         cluster pay

broken    cluster pay: what is in the files is invalid, and no older version is there
cause     invalid
said by   the configuration files
said      INTERNAL: pay.yaml:4:3: error: resources[0].lb_policyy: unknown field
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      correct pay.yaml:4:3: holdfast lint DIR shows every problem, and a saved file is served at once
)");
}

TEST(Why, InvalidWithTheLastGoodVersionInService) {
  ControlPlane plane;
  PlaneResource& pay = plane.At(kClusterTypeName, "pay");
  pay.is_last_good = true;
  pay.problems = {"pay.yaml:2:3: warning: grpc: something",
                  "pay.yaml:4:3: error: resources[0].lb_policyy: unknown field"};
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
▲ held back      cluster pay            version a1  2 clients: 2 good  newest in the files is invalid
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

broken    cluster pay: what is in the files is invalid, an older version is served
cause     invalid
said by   the configuration files
said      pay.yaml:4:3: error: resources[0].lb_policyy: unknown field
in use    version a1, the last good one, is served to everybody
next      correct pay.yaml:4:3: holdfast lint DIR shows every problem, and a saved file is served at once
)");
}

TEST(Why, RejectedByOneOfTwo) {
  ControlPlane plane;
  FleetResource pay = PayOf(Standing::kHeldBack, Trouble::kRejected);
  pay.offered = "a1";
  pay.in_use = "a0";
  pay.code = "INVALID_ARGUMENT";
  pay.message = "cluster pay: type: must be EDS";
  plane.Client(std::move(pay));
  plane.At(kClusterTypeName, "pay").clients = {.good = 1, .held_back = 1};
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
▲ held back      cluster pay            version a0 (newest: a1)  3m  2 clients: 1 held back, 1 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

broken    cluster pay: client web-1 rejected version a1
cause     rejected
said by   client web-1
said      INVALID_ARGUMENT: cluster pay: type: must be EDS
when      3m ago, 2023-11-14T22:15:00.000Z
in use    version a0, the last good one: calls go on with it
next      correct what the client names in cluster pay and publish it again; do not restart the client before: it would start without the version it uses
)");
}

// The control plane lists 100 resources of a client, and counts all.
TEST(Why, WhatIsOnlyCountedIsNotGood) {
  ControlPlane plane;
  plane.At(kClusterTypeName, "pay").clients = {.good = 1, .held_back = 1};
  EXPECT_EQ(Why({.kind = Question::Kind::kResource, .text = "cds/pay"},
                {{std::string(kClusterTypeName), "pay"}}, plane.known()),
            R"(
▲ held back  cluster pay         version a1 not in use  2 clients: 1 held back, 1 good
✔ good         endpoints pay     version a1  2 clients: 2 good
✔ good           127.0.0.1:9001  answers

broken    cluster pay: 1 of 2 clients rejected version a1
cause     rejected
in use    an older version, the last good one: calls go on with it
next      correct what the client names in cluster pay and publish it again; do not restart the client before: it would start without the version it uses
)");
  const auto verdict = [&plane](FleetType clients) {
    plane.At(kClusterTypeName, "pay").clients = clients;
    return Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known());
  };
  EXPECT_EQ(verdict({.failed = 1}).summary, "cluster pay: 1 of 1 client rejected version a1");
  EXPECT_EQ(verdict({.failed = 1}).in_use, "nothing: calls that need it fail, or wait");
  EXPECT_EQ(verdict({.good = 1, .waiting = 1}).finding, Finding::kWaiting);
}

// What a listed client says counts for more than a number.
TEST(Why, AListedClientIsNamedBesideThoseThatAreCounted) {
  ControlPlane plane;
  FleetResource pay = PayOf(Standing::kHeldBack, Trouble::kRejected);
  pay.offered = "a1";
  pay.in_use = "a0";
  plane.Client(std::move(pay));
  plane.At(kClusterTypeName, "pay").clients = {.good = 1, .held_back = 3};
  const Chain chain = Walk({ListenerLink()}, plane.known(), "web");
  EXPECT_EQ(Judge(AboutTarget(), chain, plane.known()).summary,
            "cluster pay: client web-1 and 2 more rejected version a1");
}

// Where a version leads that nobody runs says nothing about calls.
TEST(Why, WhatWasRejectedIsNotFollowed) {
  ControlPlane plane;
  FleetResource pay = PayOf(Standing::kHeldBack, Trouble::kRejected);
  pay.offered = "a1";
  pay.in_use = "a0";
  plane.Client(std::move(pay));
  plane.At(kClusterTypeName, "pay").links = {};
  const Chain chain = Walk({ListenerLink()}, plane.known());
  EXPECT_EQ(Judge(AboutTarget(), chain, plane.known()).finding, Finding::kRejected);
}

TEST(Why, AllEndpointsRefuse) {
  ControlPlane plane;
  plane.At(kEndpointsTypeName, "pay").links.addresses = {"127.0.0.1:9001", "127.0.0.1:9002"};
  plane.known().dialled = {{"127.0.0.1:9001", {"connection refused"}},
                           {"127.0.0.1:9002", {"connection refused"}}};
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✔ good           cluster pay            version a1  2 clients: 2 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✖ failed             127.0.0.1:9001     connection refused
✖ failed             127.0.0.1:9002     connection refused

broken    endpoints pay: no address answers
cause     endpoints_refuse
said by   127.0.0.1:9001
said      connection refused
when      0s ago, 2023-11-14T22:18:20.000Z
next      start the server at 127.0.0.1:9001, 127.0.0.1:9002, or correct the addresses in endpoints pay; this was tried from this machine only
)");
}

TEST(Why, OneEndpointThatRefusesIsNoCause) {
  ControlPlane plane;
  plane.At(kEndpointsTypeName, "pay").links.addresses = {"127.0.0.1:9001", "127.0.0.1:9002"};
  plane.known().dialled["127.0.0.1:9002"] = {"connection refused"};
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✔ good           cluster pay            version a1  2 clients: 2 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers
✖ failed             127.0.0.1:9002     connection refused

all good: every link of xds:///web is good, and 1 of 2 addresses answer from this machine
)");
}

TEST(Why, OfManyAddressesItSaysHowManyWereTried) {
  ControlPlane plane;
  std::vector<std::string>& addresses = plane.At(kEndpointsTypeName, "pay").links.addresses;
  addresses.clear();
  for (int i = 0; i < 500; ++i) addresses.push_back(absl::StrCat("127.0.0.1:", 9000 + i));
  plane.known().dialled.clear();
  for (int i = 0; i < 16; ++i) plane.known().dialled[addresses[i]] = {"connection refused"};
  const Chain chain = Walk({ListenerLink()}, plane.known(), "web");
  const WhyVerdict verdict = Judge(AboutTarget(), chain, plane.known());
  EXPECT_EQ(verdict.finding, Finding::kEndpointsRefuse);
  EXPECT_EQ(verdict.summary,
            "endpoints pay: none of the 16 addresses that were tried answers; 484 more were not "
            "tried");
}

// Whoever says that something is missing is not called complete.
TEST(Why, AnAnswerThatIsNotCompleteIsNoGoodNews) {
  ControlPlane plane;
  plane.known().incomplete = "1 of 4 workers did not answer in time";
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✔ good           cluster pay            version a1  2 clients: 2 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

unknown   nothing is wrong with what was told of xds:///web, but the answer is not complete: 1 of 4 workers did not answer in time
cause     incomplete
next      ask again: holdfast why xds:///web --server 127.0.0.1:18080
)");
}

// It may be one of those that nobody told of.
TEST(Why, AClientThatIsNotInAnAnswerWhichIsNotComplete) {
  ControlPlane plane;
  plane.known().incomplete = "1 of 4 workers did not answer in time";
  const Question question = {.kind = Question::Kind::kClient,
                             .text = "web-7",
                             .server_option = "--server 127.0.0.1:18080"};
  const WhyVerdict verdict = JudgeUnknownClient(question, plane.known());
  EXPECT_EQ(verdict.finding, Finding::kIncomplete);
  EXPECT_EQ(verdict.summary,
            "client web-7: not among those that were told, but the answer is not complete: 1 of 4 "
            "workers did not answer in time");
  EXPECT_EQ(verdict.next, "ask again: holdfast why web-7 --server 127.0.0.1:18080");
}

TEST(Why, AClientThatIsNotThere) {
  ControlPlane plane;
  plane.Client(PayOf(Standing::kGood, Trouble::kNone));
  const Question question = {.kind = Question::Kind::kClient, .text = "wbe-1"};
  const auto lines = [&](const Question& asked) {
    return absl::StrCat(
        "\n",
        absl::StrJoin(WhyLines({}, JudgeUnknownClient(asked, plane.known()), plane.known(), {}),
                      "\n"),
        "\n");
  };
  EXPECT_EQ(lines(question), R"(
broken    client wbe-1: not connected; did you mean web-1?
cause     not_connected
next      ask again with web-1; holdfast ps shows who is connected
)");
  EXPECT_EQ(lines({.kind = Question::Kind::kClient, .text = "billing-7"}), R"(
broken    client billing-7: not connected
cause     not_connected
next      see who is connected with holdfast ps; a client that lost its control plane is asked itself, with --target and the address of its CSDS
)");
}

}  // namespace
}  // namespace holdfast
