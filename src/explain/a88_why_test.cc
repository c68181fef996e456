// Each row of gRFC A88's table, as a client that it happened to shows it in CSDS, and what `why`
// makes of it: the true cause, in full.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

// A cluster that is not there, or not any more, in a chain that leads to it.
std::string WithCluster(absl::string_view cluster) {
  return Why(KnownFrom(absl::StrCat(ListenerEntry(), RouteEntry(), cluster)));
}
std::string NoCluster(absl::string_view state) {
  return EntryText(kClusterTypeName, "pay", "", state);
}
std::string ErrorState(absl::string_view details) {
  return absl::StrCat("error_state { details: \"", details, "\" version_info: \"42\" ",
                      "last_update_attempt ", Ago(60), " } ");
}

Knowledge WithoutServer(absl::string_view entries) {
  Knowledge known = KnownFrom(entries);
  known.servers.push_back({"127.0.0.1:18000", "connection refused"});
  return known;
}

constexpr char kChainStart[] = R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
)";

// R3-T01: nothing cached, and nobody to ask.
TEST(WhyA88, NoConnectionAndNothingCached) {
  EXPECT_EQ(Why(WithoutServer(EntryText(kListenerTypeName, "web", "", "client_status: REQUESTED"))),
            R"(
◌ waiting    listener web  REQUESTED (clients wait 15 s, or 30)

broken    control plane 127.0.0.1:18000: cannot be reached from this machine
cause     control_plane_unreachable
said by   127.0.0.1:18000
said      connection refused
when      0s ago, 2023-11-14T22:18:20.000Z
in use    nothing: calls that need it fail, or wait
next      start the control plane at 127.0.0.1:18000, or correct server_uri in the bootstrap; until then do not restart clients: they would start with nothing
)");
}

// R3-T02: everything cached, and nobody to ask.
TEST(WhyA88, NoConnectionAndEverythingCached) {
  EXPECT_EQ(Why(WithoutServer(absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry()))), R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
·                  endpoints pay        not asked for

broken    control plane 127.0.0.1:18000: cannot be reached from this machine
cause     control_plane_unreachable
said by   127.0.0.1:18000
said      connection refused
when      0s ago, 2023-11-14T22:18:20.000Z
in use    what the client has: calls go on with it
next      start the control plane at 127.0.0.1:18000, or correct server_uri in the bootstrap; until then do not restart clients: they would start with nothing
)");
}

// R3-T05
TEST(WhyA88, NackWithNothingCached) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: NACKED " + ErrorState("type: must be EDS"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            version 42 not in use  60s

broken    cluster pay: client web-1 rejected version 42
cause     rejected
said by   client web-1
said      type: must be EDS
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      correct what the client names in cluster pay and publish it again
)"));
}

// R3-T06
TEST(WhyA88, NackWithSomethingCached) {
  EXPECT_EQ(WithCluster(ClusterEntry("client_status: NACKED " + ErrorState("type: must be EDS"))),
            absl::StrCat(kChainStart,
                         R"(▲ held back      cluster pay            version 41 (newest: 42)  60s
·                  endpoints pay        not asked for

broken    cluster pay: client web-1 rejected version 42
cause     rejected
said by   client web-1
said      type: must be EDS
when      60s ago, 2023-11-14T22:17:20.000Z
in use    version 41, the last good one: calls go on with it
next      correct what the client names in cluster pay and publish it again; do not restart the client before: it would start without the version it uses
)"));
}

// R3-T07: fail_on_data_errors dropped what was cached.
TEST(WhyA88, NackThatDroppedWhatWasCached) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: NACKED " +
                                  ErrorState("type: must be EDS; dropped version 41"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            version 42 not in use  60s

broken    cluster pay: client web-1 rejected version 42
cause     rejected
said by   client web-1
said      type: must be EDS; dropped version 41
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      correct what the client names in cluster pay and publish it again
)"));
}

// R3-T08a
TEST(WhyA88, TimerWithoutTheFeature) {
  EXPECT_EQ(WithCluster(NoCluster(
                "client_status: DOES_NOT_EXIST error_state { details: "
                "\"xds server did not send it within 15s, so it is taken not to exist\" }")),
            absl::StrCat(kChainStart, R"(✖ failed         cluster pay

broken    cluster pay: it does not exist
cause     does_not_exist
said by   client web-1
said      xds server did not send it within 15s, so it is taken not to exist
in use    nothing: calls that need it fail, or wait
next      add cluster pay to the configuration, or correct the name in route configuration web
)"));
}

// R3-T08b
TEST(WhyA88, TimerWithTheFeature) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: TIMEOUT error_state { details: "
                                  "\"xds server did not send it within 30s\" }")),
            absl::StrCat(kChainStart, R"(✖ failed         cluster pay

broken    cluster pay: no answer as long as the client waits
cause     timeout
said by   client web-1
said      xds server did not send it within 30s
in use    nothing: calls that need it fail, or wait
next      see whether the control plane has it: holdfast why cds/pay --server 127.0.0.1:18080; if it has, it is too slow or forgot this client: see its log
also      whether the process can reach its control plane was not checked: CSDS does not say, and GRPC_XDS_BOOTSTRAP names none that can be tried from here
)"));
}

// R3-T09
TEST(WhyA88, DeletedAndKept) {
  EXPECT_EQ(WithCluster(ClusterEntry("client_status: DOES_NOT_EXIST " +
                                     ErrorState("deleted: version 42 no longer has it"))),
            absl::StrCat(kChainStart,
                         R"(▲ held back      cluster pay            version 41  60s
·                  endpoints pay        not asked for

broken    cluster pay: deleted, and kept by the client
cause     deleted_but_kept
said by   client web-1
said      deleted: version 42 no longer has it
when      60s ago, 2023-11-14T22:17:20.000Z
in use    version 41, the last good one: calls go on with it
next      put cluster pay back before the client restarts: it would start without it
)"));
}

// R3-T10
TEST(WhyA88, DeletedAndDropped) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: DOES_NOT_EXIST " +
                                  ErrorState("deleted: version 42 no longer has it"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            60s

broken    cluster pay: it was deleted
cause     does_not_exist
said by   client web-1
said      deleted: version 42 no longer has it
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      put cluster pay back into the configuration, or take it out of route configuration web
)"));
}

// R3-T11, R3-T13: NOT_FOUND, and nothing is left.
TEST(WhyA88, ServerSaysNotFoundAndNothingIsCached) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: RECEIVED_ERROR " +
                                  ErrorState("NOT_FOUND: no cluster of that name"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            60s

broken    cluster pay: it does not exist
cause     does_not_exist
said by   the control plane
said      NOT_FOUND: no cluster of that name
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      add cluster pay to the configuration, or correct the name in route configuration web
)"));
}

// R3-T11, R3-T13: PERMISSION_DENIED, and nothing is left.
TEST(WhyA88, ServerDeniesAndNothingIsCached) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: RECEIVED_ERROR " +
                                  ErrorState("PERMISSION_DENIED: ask #payments"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            60s

broken    cluster pay: the control plane does not give it to client web-1
cause     denied
said by   the control plane
said      PERMISSION_DENIED: ask #payments
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      ask whoever owns cluster pay, or change what the control plane is told about it: in files of holdfast serve an errors: entry refuses it to everybody
)"));
}

// R3-T12: NOT_FOUND, and what is cached stays.
TEST(WhyA88, ServerSaysNotFoundAndTheCachedOneStays) {
  EXPECT_EQ(WithCluster(ClusterEntry("client_status: RECEIVED_ERROR " +
                                     ErrorState("NOT_FOUND: no cluster of that name"))),
            absl::StrCat(kChainStart,
                         R"(▲ held back      cluster pay            version 41  60s
·                  endpoints pay        not asked for

broken    cluster pay: deleted, and kept by the client
cause     deleted_but_kept
said by   the control plane
said      NOT_FOUND: no cluster of that name
when      60s ago, 2023-11-14T22:17:20.000Z
in use    version 41, the last good one: calls go on with it
next      put cluster pay back before the client restarts: it would start without it
)"));
}

// R3-T12: PERMISSION_DENIED, and what is cached stays.
TEST(WhyA88, ServerDeniesAndTheCachedOneStays) {
  EXPECT_EQ(WithCluster(ClusterEntry("client_status: RECEIVED_ERROR " +
                                     ErrorState("PERMISSION_DENIED: ask #payments"))),
            absl::StrCat(kChainStart,
                         R"(▲ held back      cluster pay            version 41  60s
·                  endpoints pay        not asked for

broken    cluster pay: the control plane does not give it to client web-1
cause     denied
said by   the control plane
said      PERMISSION_DENIED: ask #payments
when      60s ago, 2023-11-14T22:17:20.000Z
in use    version 41, the last good one: calls go on with it
next      ask whoever owns cluster pay, or change what the control plane is told about it: in files of holdfast serve an errors: entry refuses it to everybody
)"));
}

// R3-T14
TEST(WhyA88, ServerErrorAndNothingIsCached) {
  EXPECT_EQ(WithCluster(NoCluster("client_status: RECEIVED_ERROR " +
                                  ErrorState("INTERNAL: the store is broken"))),
            absl::StrCat(kChainStart,
                         R"(✖ failed         cluster pay            60s

broken    cluster pay: the control plane answered with an error INTERNAL
cause     server_error
said by   the control plane
said      INTERNAL: the store is broken
when      60s ago, 2023-11-14T22:17:20.000Z
in use    nothing: calls that need it fail, or wait
next      see the log of the control plane for cluster pay: the words above are its own
)"));
}

// R3-T15
TEST(WhyA88, ServerErrorAndTheCachedOneStays) {
  EXPECT_EQ(WithCluster(ClusterEntry("client_status: RECEIVED_ERROR " +
                                     ErrorState("UNAVAILABLE: try later"))),
            absl::StrCat(kChainStart,
                         R"(▲ held back      cluster pay            version 41  60s
·                  endpoints pay        not asked for

broken    cluster pay: the control plane answered with an error UNAVAILABLE
cause     server_error
said by   the control plane
said      UNAVAILABLE: try later
when      60s ago, 2023-11-14T22:17:20.000Z
in use    version 41, the last good one: calls go on with it
next      see the log of the control plane for cluster pay: the words above are its own
)"));
}

// R3-T16
TEST(WhyA88, ValidIsAllGood) {
  Knowledge known = KnownFrom(
      absl::StrCat(ListenerEntry(), RouteEntry(), ClusterEntry(), EndpointsEntry(kOneEndpoint)));
  known.dialled["127.0.0.1:9001"] = {};
  known.servers.push_back({.address = "127.0.0.1:18000", .error = ""});
  EXPECT_EQ(Why(known), R"(
✔ good       listener web               version 41  2m
✔ good         route configuration web  version 41  2m
✔ good           cluster pay            version 41  2m
✔ good             endpoints pay        version 41  2m
✔ good               127.0.0.1:9001     answers

all good: every link of xds:///web is good, and 1 of 1 address answers from this machine
)");
}

}  // namespace
}  // namespace holdfast
