// What `why` concludes about a target: its virtual host, what gRPC calls, and where nobody knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

constexpr char kUnchecked[] =
    "also      whether the process can reach its control plane was not checked: CSDS does not say, "
    "and GRPC_XDS_BOOTSTRAP names none that can be tried from here\n";

std::string HostText(absl::string_view domain, absl::string_view cluster) {
  return absl::StrCat("virtual_hosts { domains: \"", domain,
                      "\" routes { match { prefix: \"\" } route { cluster: \"", cluster,
                      "\" } } } ");
}

TEST(WhyATarget, WithoutAVirtualHost) {
  EXPECT_EQ(Why(KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry(HostText("shop", "pay")),
                                       ClusterEntry(), EndpointsEntry(kOneEndpoint)))),
            R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m

broken    route configuration web: no virtual host for this target: none has a domain that matches web
cause     no_virtual_host
next      add web, or *, to the domains of a virtual host in route configuration web, or correct the target of the client
)");
}

// Another target shares the routes, and its cluster is gone.
TEST(WhyATarget, IsNotToBlameForTheVirtualHostOfAnother) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(HostText("web", "pay") + HostText("b", "gone")),
                   ClusterEntry(), EndpointsEntry(kOneEndpoint),
                   EntryText(kClusterTypeName, "gone", "", "client_status: DOES_NOT_EXIST")));
  known.dialled["127.0.0.1:9001"] = {};
  EXPECT_EQ(Why(known), absl::StrCat(R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m
✔ good               127.0.0.1:9001     answers

nothing is wrong with what the process tells: every link of xds:///web is good, and 1 of 1 address answers from this machine
)",
                                     kUnchecked));
  // Asked about the routes themselves, all of them count.
  const Question question = {.kind = Question::Kind::kResource, .text = "rds/web"};
  const Chain chain = Walk({{std::string(kRouteConfigTypeName), "web"}}, known);
  EXPECT_EQ(Judge(question, chain, known).finding, Finding::kDoesNotExist);
}

// Some servers of CSDS send no contents.
TEST(WhyATarget, WhoseChainEndsInTheDarkIsNotCalledGood) {
  const Knowledge known = KnownFrom(
      EntryText(kListenerTypeName, "web", "", "version_info: \"41\" client_status: ACKED"));
  EXPECT_EQ(Why(known), absl::StrCat(R"(
✔ good       listener web  version 41

unknown   listener web: where it leads was not told, so nobody knows whether calls go on
cause     incomplete
next      ask the control plane too: holdfast why xds:///web --server 127.0.0.1:18080
)",
                                     kUnchecked));
}

TEST(WhyATarget, WhoseEndpointsAreNotAskedForIsNotCalledGood) {
  const Knowledge known = KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry()));
  EXPECT_EQ(Why(known), absl::StrCat(R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
·                  endpoints pay        not asked for

unknown   endpoints pay: the client does not ask for it, so the chain has no address
cause     incomplete
next      ask the control plane too: holdfast why xds:///web --server 127.0.0.1:18080
)",
                                     kUnchecked));
}

constexpr char kRingHash[] =
    "asks for ring_hash, which Holdfast's channels do not have yet: their calls fail";

// Whoever calls may be stock gRPC, which has it.
TEST(WhyATarget, WhoseClusterAsksForAPolicyThatIsNotThereYet) {
  ControlPlane plane;
  plane.At(kClusterTypeName, "pay").links.remark = kRingHash;
  EXPECT_EQ(plane.WhyTarget(), R"(
✔ good       listener web               version a1  2 clients: 2 good
✔ good         route configuration web  version a1  2 clients: 2 good
✔ good           cluster pay            version a1  2 clients: 2 good
✔ good             endpoints pay        version a1  2 clients: 2 good
✔ good               127.0.0.1:9001     answers

all good: every link of xds:///web is good, and 1 of 1 address answers from this machine
also      cluster pay: asks for ring_hash, which Holdfast's channels do not have yet: their calls fail
)");
  const Chain chain = Walk({ListenerLink()}, plane.known(), "web");
  const std::string json =
      WhyJson(AboutTarget(), chain, Judge(AboutTarget(), chain, plane.known()), plane.known());
  EXPECT_THAT(json,
              testing::HasSubstr(absl::StrCat(
                  R"("cause":"nothing",)", R"("summary":"all good: every link of xds:///web )",
                  R"(is good, and 1 of 1 address answers from this machine",)",
                  R"("also":["cluster pay: )", kRingHash, R"("],)")));
  EXPECT_THAT(json, testing::HasSubstr(absl::StrCat(R"("type":"cds","name":"pay","state":"good",)",
                                                    R"("version":"a1","newest_version":"a1",)",
                                                    R"("remark":")", kRingHash, R"("})")));
}

TEST(WhyATarget, WhoseClientIsKnownToBeAnothersHasThatPolicy) {
  Knowledge known = KnownFrom(absl::StrCat(
      ListenerEntry(), RouteEntry(),
      EntryText(kClusterTypeName, "pay", absl::StrCat(kClusterContents, " lb_policy: RING_HASH"),
                "client_status: ACKED"),
      EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {};
  known.servers.push_back({.address = "127.0.0.1:18000", .error = ""});
  const auto also = [&known] {
    return Judge(AboutTarget(), Walk({ListenerLink()}, known, "web"), known).also;
  };
  const std::vector<std::string> said = {absl::StrCat("cluster pay: ", kRingHash)};
  EXPECT_EQ(also(), said);
  known.client->user_agent = "holdfast 0.1.0";
  EXPECT_EQ(also(), said);
  known.client->user_agent = "gRPC C-core linux C-core 29.0.0";
  EXPECT_EQ(also(), std::vector<std::string>());
}

// Of a version that its client rejected nobody runs anything.
TEST(WhyATarget, ThePolicyOfAVersionThatWasRejectedIsNoTrouble) {
  ControlPlane plane;
  plane.At(kClusterTypeName, "pay").links.remark = kRingHash;
  FleetResource pay;
  pay.type = std::string(kClusterTypeName);
  pay.name = "pay";
  pay.standing = Standing::kHeldBack;
  pay.trouble = Trouble::kRejected;
  plane.Client(std::move(pay));
  EXPECT_EQ(Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known()).also,
            std::vector<std::string>());
}

// That it has no way on is the cause, whatever its policy is.
TEST(WhyATarget, WhoseClusterLeadsNowhereIsToldSo) {
  ControlPlane plane;
  plane.At(kClusterTypeName, "pay").links = {.remark = kRingHash};
  const WhyVerdict verdict =
      Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known());
  EXPECT_EQ(verdict.finding, Finding::kNoEndpoints);
  EXPECT_EQ(verdict.summary, "cluster pay: it leads nowhere");
  EXPECT_EQ(verdict.also, std::vector<std::string>({absl::StrCat("cluster pay: ", kRingHash)}));
}

TEST(WhyATarget, AllOfItsEndpointsDrain) {
  EXPECT_EQ(Why(KnownFrom(absl::StrCat(
                ListenerEntry(), RouteEntry(), ClusterEntry(),
                EndpointsEntry(R"(endpoints { load_balancing_weight { value: 1 } lb_endpoints {
                  health_status: DRAINING endpoint { address { socket_address {
                    address: "127.0.0.1" port_value: 9001 } } } } })")))),
            R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m

broken    endpoints pay: 1 endpoint is draining
cause     no_endpoints
next      add an endpoint to endpoints pay, or see why all of them are gone
)");
}

// The only one that answers is in a locality that gRPC does not use.
TEST(WhyATarget, AnAddressThatGrpcDoesNotUseHelpsNobody) {
  Knowledge known = KnownFrom(absl::StrCat(
      ListenerEntry(), RouteEntry(), ClusterEntry(),
      EndpointsEntry(absl::StrCat(kOneEndpoint, R"(endpoints { locality { zone: "b" } lb_endpoints {
          endpoint { address { socket_address { address: "127.0.0.1" port_value: 9002 } } } } })"))));
  known.dialled["127.0.0.1:9001"] = {"connection refused"};
  known.dialled["127.0.0.1:9002"] = {};
  const Chain chain = Walk({ListenerLink()}, known, "web");
  const WhyVerdict verdict = Judge(AboutTarget(), chain, known);
  EXPECT_EQ(verdict.finding, Finding::kEndpointsRefuse);
  EXPECT_EQ(verdict.summary, "endpoints pay: no address answers");
}

// What is written so that it cannot be tried is neither up nor down.
TEST(WhyATarget, AServerThatCannotBeTriedIsNotCalledUnreachable) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {};
  known.servers.push_back({.address = "unix:/run/cp.sock", .error = "", .was_tried = false});
  const auto judge = [&known] {
    return Judge(AboutTarget(), Walk({ListenerLink()}, known, "web"), known);
  };
  EXPECT_EQ(judge().finding, Finding::kNothing);
  EXPECT_EQ(judge().also.size(), 1);
  known.servers.push_back({.address = "127.0.0.1:18000", .error = "connection refused"});
  EXPECT_EQ(judge().finding, Finding::kNothing);
  known.servers.erase(known.servers.begin());
  EXPECT_EQ(judge().finding, Finding::kControlPlaneUnreachable);
}

// A client asks the first; that the second answers helps only one that falls back.
TEST(WhyATarget, WhoseFirstServerIsDownIsNotCalledGood) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {};
  known.servers = {{.address = "127.0.0.1:18000", .error = "connection refused"},
                   {.address = "127.0.0.1:17000", .error = ""}};
  const auto judge = [&known] {
    return Judge(AboutTarget(), Walk({ListenerLink()}, known, "web"), known);
  };
  EXPECT_EQ(judge().finding, Finding::kControlPlaneUnreachable);
  EXPECT_EQ(judge().summary, "control plane 127.0.0.1:18000: cannot be reached from this machine");
  EXPECT_EQ(judge().said, "connection refused");
  EXPECT_EQ(judge().also,
            std::vector<std::string>(
                {"the bootstrap names 127.0.0.1:17000 too, and it answers: a client that falls "
                 "back (gRFC A71) asks it for what it does not have; Holdfast's client uses the "
                 "first server alone"}));
  std::swap(known.servers[0], known.servers[1]);
  EXPECT_EQ(judge().finding, Finding::kNothing);
  EXPECT_TRUE(judge().also.empty());
}

// T03, T04: a connection opens, and a stream does not stand.
TEST(WhyATarget, WhoseServerTakesNoStreamIsToldWhatBecameOfIt) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {};
  known.servers = {{.address = "127.0.0.1:18000",
                    .error = "RESOURCE_EXHAUSTED: too many streams",
                    .takes_no_stream = true}};
  const WhyVerdict verdict = Judge(AboutTarget(), Walk({ListenerLink()}, known, "web"), known);
  EXPECT_EQ(verdict.finding, Finding::kControlPlaneUnreachable);
  EXPECT_EQ(verdict.summary, "control plane 127.0.0.1:18000: takes no stream from this machine");
  EXPECT_EQ(verdict.said, "RESOURCE_EXHAUSTED: too many streams");
  EXPECT_EQ(verdict.next,
            "correct server_uri or channel_creds in the bootstrap, or mend what answers at "
            "127.0.0.1:18000; until then do not restart clients: they would start with nothing");
}

TEST(WhyATarget, ThatNoClientAsksForIsSaidToBeSo) {
  ControlPlane plane;
  for (const absl::string_view type : {kListenerTypeName, kRouteConfigTypeName}) {
    plane.At(type, "web").clients = {};
  }
  for (const absl::string_view type : {kClusterTypeName, kEndpointsTypeName}) {
    plane.At(type, "pay").clients = {};
  }
  const WhyVerdict verdict =
      Judge(AboutTarget(), Walk({ListenerLink()}, plane.known(), "web"), plane.known());
  EXPECT_EQ(verdict.finding, Finding::kNothing);
  EXPECT_EQ(verdict.summary,
            "no client asks for xds:///web; as it is served, every link of it is good, and 1 of 1 "
            "address answers from this machine");
}

}  // namespace
}  // namespace holdfast
