// What `why` concludes from what one process says, beyond A88's table.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

TEST(WhyOfAClient, NoEndpoints) {
  Knowledge known =
      KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry("")));
  EXPECT_EQ(Why(known), R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m

broken    endpoints pay: it has no localities
cause     no_endpoints
next      add an endpoint to endpoints pay, or see why all of them are gone
)");
}

TEST(WhyOfAClient, EndpointsThatGrpcDoesNotUse) {
  Knowledge known = KnownFrom(absl::StrCat(
      ListenerEntry(), RouteEntry(), ClusterEntry(),
      EndpointsEntry(R"(endpoints { lb_endpoints { endpoint { address { socket_address {
                          address: "127.0.0.1" port_value: 9001 } } } } })")));
  known.dialled["127.0.0.1:9001"] = {};
  EXPECT_EQ(Why(known), R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m

broken    endpoints pay: no locality has a load_balancing_weight, and gRPC uses none without
cause     no_endpoints
next      give each locality of endpoints pay a load_balancing_weight
)");
}

// R11.36
TEST(WhyOfAClient, ControlPlaneDownAndEndpointsDownAreBothNamed) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {"connection refused"};
  known.servers.push_back({"127.0.0.1:18000", "connection refused"});
  EXPECT_EQ(Why(known), R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m
✖ failed             127.0.0.1:9001     connection refused

broken    endpoints pay: no address answers
cause     endpoints_refuse
said by   127.0.0.1:9001
said      connection refused
when      0s ago, 2023-11-14T22:18:20.000Z
next      start the server at 127.0.0.1:9001, or correct the addresses in endpoints pay; this was tried from this machine only
also      control plane 127.0.0.1:18000: cannot be reached from this machine: connection refused
)");
}

TEST(WhyOfAClient, AClientThatDoesNotAskForIt) {
  EXPECT_EQ(Why(AboutTarget("xds:///wbe"), {ListenerLink("wbe")},
                KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry()))),
            R"(
·            listener wbe  not asked for

broken    listener wbe: the client does not ask for it; did you mean web?
cause     wrong_name
next      write web instead of wbe in the target of the client, or add listener wbe to the configuration
)");
  EXPECT_EQ(Why(AboutTarget("xds:///billing"), {ListenerLink("billing")},
                KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry()))),
            R"(
·            listener billing  not asked for

broken    listener billing: the client does not ask for it
cause     not_asked_for
next      ask for it from a client, or ask why of something that it does ask for: holdfast ps shows all clients
)");
}

// A process may have several clients; the first is the worst of all, and not with this.
TEST(WhyOfAClient, OfSeveralTheOneThatStandsWorstWithIt) {
  const auto client = [](std::string scope, Standing web, Standing pay) {
    FleetClient made;
    made.scope = std::move(scope);
    for (const auto& [type, name, standing] :
         {std::tuple(kListenerTypeName, "web", web), std::tuple(kClusterTypeName, "pay", pay)}) {
      FleetResource& resource = made.resources.emplace_back();
      resource.type = std::string(type);
      resource.name = name;
      resource.standing = standing;
    }
    return made;
  };
  const std::vector<FleetClient> clients = {
      client("a", Standing::kGood, Standing::kFailed),
      client("b", Standing::kHeldBack, Standing::kGood),
      client("c", Standing::kHeldBack, Standing::kGood),
  };
  EXPECT_EQ(WorstWith(ListenerLink("web"), clients), &clients[1]);
  EXPECT_EQ(WorstWith({std::string(kClusterTypeName), "pay"}, clients), &clients[0]);
  EXPECT_EQ(WorstWith(ListenerLink("shop"), clients), nullptr);
}

// The worst of a client first, and chains without trouble only counted.
TEST(WhyOfAClient, OfAClientTheWorst) {
  Knowledge known = KnownFrom(absl::StrCat(
      ListenerEntry(), ListenerEntry("shop"), RouteEntry(),
      ClusterEntry("client_status: NACKED error_state { details: \"type: must be EDS\" }"),
      EntryText(kListenerTypeName, "billing", "",
                "client_status: RECEIVED_ERROR error_state { details: "
                "\"PERMISSION_DENIED: ask #payments\" }")));
  const Question question = {.kind = Question::Kind::kClient, .text = "web-1"};
  EXPECT_EQ(Why(question, RootsOf(*known.client), known), R"(
✖ failed     listener billing
✔ good       listener shop              version 41  2m
✔ good         route configuration web  version 41  2m
▲ held back      cluster pay            version 41
·                  endpoints pay        not asked for
and 1 chain that is good: -o wide shows it

broken    listener billing: the control plane does not give it to client web-1
cause     denied
said by   the control plane
said      PERMISSION_DENIED: ask #payments
in use    nothing: calls that need it fail, or wait
next      ask whoever owns listener billing, or change what the control plane is told about it: in files of holdfast serve an errors: entry refuses it to everybody
also      cluster pay: client web-1 rejected the newest version
)");
}

// Names and texts from outside cannot move the cursor or forge lines.
TEST(WhyOfAClient, TextsFromOutsideStayTexts) {
  Knowledge known = KnownFrom(EntryText(
      kListenerTypeName, "web", "",
      R"(client_status: NACKED error_state { details: "bad\x1b[2J\nnext      run rm -rf" })"));
  EXPECT_EQ(Why(known), R"(
✖ failed     listener web

broken    listener web: client web-1 rejected the newest version
cause     rejected
said by   client web-1
said      bad [2J next      run rm -rf
in use    nothing: calls that need it fail, or wait
next      correct what the client names in listener web and publish it again
)");
}

TEST(WhyOfAClient, JsonSaysTheSameAndMore) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {"connection refused"};
  const Chain chain = Walk({ListenerLink()}, known);
  const WhyVerdict verdict = Judge(AboutTarget(), chain, known);
  EXPECT_EQ(
      WhyJson(AboutTarget(), chain, verdict, known),
      R"({"asked":"xds:///web","cause":"endpoints_refuse","summary":"endpoints pay: no address answers","broken":{"depth":3,"type":"eds","name":"pay","state":"good","version":"41","newest_version":"41","since":"2023-11-14T22:16:20.000Z"},"said_by":"127.0.0.1:9001","said":"connection refused","when":"2023-11-14T22:18:20.000Z","next":"start the server at 127.0.0.1:9001, or correct the addresses in endpoints pay; this was tried from this machine only","also":[],"chain":[{"depth":0,"type":"lds","name":"web","state":"good","version":"41","newest_version":"41","since":"2023-11-14T22:16:20.000Z"},{"depth":1,"type":"rds","name":"web","state":"good","version":"41","newest_version":"41","since":"2023-11-14T22:16:20.000Z"},{"depth":2,"type":"cds","name":"pay","state":"good","version":"41","newest_version":"41","since":"2023-11-14T22:16:20.000Z"},{"depth":3,"type":"eds","name":"pay","state":"good","version":"41","newest_version":"41","since":"2023-11-14T22:16:20.000Z"},{"depth":4,"address":"127.0.0.1:9001","state":"failed","answers":false,"error":"connection refused"}],"time":"2023-11-14T22:18:20.000Z"})");
}

}  // namespace
}  // namespace holdfast
