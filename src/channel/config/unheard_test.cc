// The control plane dies in the middle of an update: what it had not sent yet was not answered, and
// what works goes on working.
#include <gtest/gtest.h>

#include "base/error_detail.h"
#include "channel/config/config_conversation_test.h"

namespace holdfast {
namespace {

absl::Status Unreachable(const std::string& why = "Connection refused") {
  return ToStatus(
      {.code = absl::StatusCode::kUnavailable, .cause = Cause::kConnectivity, .text = why});
}

TEST(Unheard, NewRoutesLeaveThoseInForce) {  // R11.03, R3.09
  Conversation talk;
  talk.Begin();
  talk.Arrives(ListenerTo("r2"));
  EXPECT_EQ(talk.Fails(Rds("r2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  // The server is back, and goes on where it died.
  EXPECT_EQ(talk.Arrives(RoutesTo("r2", {"c"})), Lines({"apply", "  routes r2, virtual host v"}));
}

TEST(Unheard, ANewClusterIsWaitedForByTheRoutesThatLeadToIt) {  // R11.03
  Conversation talk;
  talk.Begin();
  talk.Arrives(RoutesTo("r", {"c", "c2"}));
  EXPECT_EQ(talk.Fails(Cds("c2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Arrives(EdsCluster("c2", "e2")), Lines({"watch endpoints \"e2\""}));
  EXPECT_EQ(talk.Fails(Eds("e2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.2")),
            Lines({"apply", "  routes r, virtual host v", "  c2 = c2 at 10.0.0.2"}));
}

TEST(Unheard, EndpointsOfAnotherNameLeaveTheClusterWhereItIs) {  // R11.03
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(EdsCluster("c", "e2")),
            Lines({"watch endpoints \"e2\"", "unwatch endpoints \"e\""}));
  EXPECT_EQ(talk.Fails(Eds("e2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
}

TEST(Unheard, ANewMemberLeavesTheAggregateAsItIs) {  // R11.03
  Conversation talk;
  talk.Arrives(ListenerWith(RoutesTo("inside", {"all"})));
  talk.Arrives(AggregateOf("all", {"near"}));
  EXPECT_EQ(talk.Arrives(DnsCluster("near")),
            Lines({"apply", "  routes inside, virtual host v", "  all = near without endpoints"}));
  EXPECT_EQ(talk.Arrives(AggregateOf("all", {"new", "near"})), Lines({"watch cluster \"new\""}));
  EXPECT_EQ(talk.Fails(Cds("new"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Arrives(DnsCluster("new")),
            Lines({"apply", "  all = new without endpoints, near without endpoints"}));
}

// What is known for certain changes things, also after a server that could not be reached.
TEST(Unheard, AnAnswerAtLastIsAnAnswer) {
  Conversation talk;
  talk.Begin();
  talk.Arrives(ListenerTo("r2"));
  EXPECT_EQ(talk.Fails(Rds("r2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Fails(Rds("r2"), absl::NotFoundError("did not come")),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r2\": did not "
                   "come; calls fail until it can be had (node \"web-1\")",
                   "apply", "  no c", "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
  EXPECT_EQ(talk.Fails(Rds("r2"), Unreachable()),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r2\": "
                   "Connection refused; calls fail until it can be had (node \"web-1\")"}));
}

// Where nothing works there is nothing to wait for: calls are told why, each time anew.
TEST(Unheard, WithNothingInForceCallsFailWithTheReason) {
  Conversation talk;
  EXPECT_EQ(talk.Fails(Lds(), Unreachable()),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": listener \"pay\": Connection refused; "
                   "calls fail until it can be had (node \"web-1\")"}));
  talk.Arrives(ListenerTo("r"));
  EXPECT_EQ(talk.Fails(Rds("r"), Unreachable()),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r\": Connection "
                   "refused; calls fail until it can be had (node \"web-1\")"}));
  talk.Arrives(RoutesTo("r", {"c", "c2"}));
  talk.Arrives(EdsCluster("c", "e"));
  EXPECT_EQ(talk.Fails(Cds("c2"), Unreachable()), kNothing);
  EXPECT_EQ(talk.Fails(Eds("e"), Unreachable()),
            Lines({"apply", "  routes r, virtual host v",
                   "  c = c without endpoints (endpoints \"e\": Connection refused; xDS node ID: "
                   "web-1)",
                   "  c2 = UNAVAILABLE: cluster \"c2\": Connection refused; calls to it fail until "
                   "it can be had (node \"web-1\")"}));
}

// A part that fails already is no part that works: it neither waits nor is waited for.
TEST(Unheard, APartThatCouldNotBeHadFromTheBeginningHoldsNothingUp) {
  Conversation talk;
  talk.Arrives(ListenerTo("r"));
  talk.Arrives(RoutesTo("r", {"c", "far"}));
  talk.Fails(Cds("far"), Unreachable());
  talk.Arrives(EdsCluster("c", "e"));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")),
            Lines({"apply", "  routes r, virtual host v", "  c = c at 10.0.0.1",
                   "  far = UNAVAILABLE: cluster \"far\": Connection refused; calls to it fail "
                   "until it can be had (node \"web-1\")"}));
  EXPECT_EQ(talk.Fails(Cds("far"), Unreachable("No route to host")),
            Lines({"apply",
                   "  far = UNAVAILABLE: cluster \"far\": No route to host; calls to it fail until "
                   "it can be had (node \"web-1\")"}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"far", "c"})),
            Lines({"apply", "  routes r, virtual host v"}));
}

}  // namespace
}  // namespace holdfast
