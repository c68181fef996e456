// What `why` concludes about a target: its virtual host, what gRPC calls, and where nobody knows.
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
