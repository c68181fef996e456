// What `why` says of a name that nobody gets, though it is, was or may be in the configuration:
// never that another name was meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "explain/api_answer.h"
#include "explain/why_case_test.h"

namespace holdfast {
namespace {

constexpr char kUnread[] =
    "listener \"shop\": the control plane does not know it, but could never read \"bad.yaml\" of "
    "its configuration";

void AddUnreadFile(ControlPlane& plane) {
  plane.known().errors.problems = {"cfg/web.yaml:1:1: warning: something",
                                   "cfg/bad.yaml:3:15: error: this quote is never closed",
                                   "cfg/bad.yaml: nothing of it is served: it never was readable"};
}

TEST(WhyWithdrawn, ANameThatMayBeInAFileThatCouldNeverBeRead) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "shop");
  plane.Say(kListenerTypeName, "shop", "UNAVAILABLE", kUnread, PlaneError::Origin::kMissing);
  AddUnreadFile(plane);
  EXPECT_EQ(plane.WhyTarget("shop"), R"(
✖ failed     listener shop

broken    listener shop: a file of the configuration could never be read, and no other has it
cause     invalid
said by   the configuration files
said      cfg/bad.yaml:3:15: error: this quote is never closed
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      correct cfg/bad.yaml:3:15: holdfast lint DIR shows every problem, and a saved file is served at once
)");
}

// A client that asked would be told the same.
TEST(WhyWithdrawn, ANameThatNobodyAsksForMayBeInSuchAFileToo) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "wbe");
  plane.known().errors.problems = {"cfg/bad.yaml: nothing of it is served: it never was readable"};
  EXPECT_EQ(plane.WhyTarget("wbe"), R"(
✖ failed     listener wbe  not asked for

broken    listener wbe: a file of the configuration could never be read, and no other has it
cause     invalid
said by   the control plane
said      UNAVAILABLE: cfg/bad.yaml: nothing of it is served: it never was readable
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      correct cfg/bad.yaml: holdfast lint DIR shows every problem, and a saved file is served at once
)");
}

TEST(WhyWithdrawn, AClientThatWasToldOfSuchAFileNamesIt) {
  EXPECT_EQ(Why(AboutTarget("xds:///shop"), {ListenerLink("shop")},
                KnownFrom(EntryText(kListenerTypeName, "shop", "",
                                    absl::StrCat("client_status: RECEIVED_ERROR error_state { "
                                                 "details: 'UNAVAILABLE: ",
                                                 kUnread, "' }")))),
            R"(
✖ failed     listener shop

broken    listener shop: a file of the configuration could never be read, and no other has it
cause     invalid
said by   the control plane
said      UNAVAILABLE: listener "shop": the control plane does not know it, but could never read "bad.yaml" of its configuration
in use    nothing: calls that need it fail, or wait
next      correct "bad.yaml": holdfast lint DIR shows every problem, and a saved file is served at once
)");
}

// Only NOT_FOUND says that there is none.
TEST(WhyWithdrawn, AControlPlaneThatHasNotReadItsFilesDoesNotKnowWhatExists) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "wbe");
  plane.Say(kListenerTypeName, "wbe", "UNAVAILABLE",
            "listener \"wbe\": the control plane has not read its configuration yet",
            PlaneError::Origin::kMissing);
  const Chain chain = Walk({ListenerLink("wbe")}, plane.known());
  const WhyVerdict verdict = Judge(AboutTarget(), chain, plane.known());
  EXPECT_EQ(verdict.finding, Finding::kServerError);
  EXPECT_EQ(verdict.summary, "listener wbe: the control plane answered with an error UNAVAILABLE");
}

TEST(WhyWithdrawn, AnEntryThatSaysNotFoundIsTheCause) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "web2");
  plane.Say(kListenerTypeName, "web2", "NOT_FOUND", "retired; use mesh",
            PlaneError::Origin::kConfigured);
  EXPECT_EQ(plane.WhyTarget("web2"), R"(
✖ failed     listener web2

broken    listener web2: an errors: entry withdraws it
cause     does_not_exist
said by   the control plane
said      NOT_FOUND: retired; use mesh
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      remove the errors: entry for listener web2, if clients are to have it
)");
}

TEST(WhyWithdrawn, AnEntryIsTheCauseForAClientThatKeepsItToo) {
  Knowledge known = KnownFrom(ListenerEntry(
      "web", "client_status: RECEIVED_ERROR error_state { details: \"NOT_FOUND: retired\" }"));
  known.has_control_plane = true;
  known.served[ListenerLink()] = std::nullopt;
  known.errors.errors = {
      {ListenerLink(), "NOT_FOUND", "retired", PlaneError::Origin::kConfigured, {"web-1"}}};
  const WhyVerdict verdict = Judge(AboutTarget(), Walk({ListenerLink()}, known), known);
  EXPECT_EQ(verdict.finding, Finding::kDeletedButKept);
  EXPECT_EQ(verdict.summary, "listener web: an errors: entry withdraws it, kept by the client");
  EXPECT_EQ(verdict.next,
            "remove the errors: entry for listener web before the client restarts: it would start "
            "without it");
}

// Asked itself, it says what it has; who explains that does not know better.
TEST(WhyWithdrawn, AProcessThatHasNothingIsNotToBeAskedAgain) {
  Knowledge known = KnownFrom(
      EntryText(kListenerTypeName, "web", "",
                "client_status: RECEIVED_ERROR error_state { details: \"NOT_FOUND: retired\" }"));
  known.has_control_plane = true;
  known.served[ListenerLink()] = std::nullopt;
  known.errors.errors = {
      {ListenerLink(), "NOT_FOUND", "retired", PlaneError::Origin::kConfigured, {"web-1"}}};
  const auto in_use = [&known] {
    return Judge(AboutTarget(), Walk({ListenerLink()}, known), known).in_use;
  };
  EXPECT_EQ(in_use(), "nothing: calls that need it fail, or wait");
  // What its control plane tells of it is another thing.
  known.is_told_by_client = false;
  EXPECT_EQ(in_use(),
            "nothing in a client that starts now; one that had it may go on with its last good "
            "version: ask it with --target");
}

// A client of a control plane that removed listeners while it ran, in one or more events.
std::string ApiClient(absl::string_view name, absl::string_view events) {
  return absl::StrCat(
      R"({"time":"2023-11-14T22:18:20Z","clients":[{"client":"web-1","state":"failed","resources":[
          {"type":"lds","name":")",
      name, R"(","state":"failed","version":"","since":"2023-11-14T22:18:10Z",
           "error":{"code":"NOT_FOUND","message":"no listener"}}],"events":[)",
      events, "]}]}");
}

std::string WhyOfApiClient(absl::string_view events) {
  ControlPlane plane;
  plane.Remove(kListenerTypeName, "web2");
  plane.Say(kListenerTypeName, "web2", "NOT_FOUND", "no listener", PlaneError::Origin::kMissing);
  const absl::StatusOr<Fleet> fleet = FleetOfApi(ApiClient("web2", events));
  EXPECT_EQ(fleet.status(), absl::OkStatus());
  if (fleet.ok()) plane.known().clients = fleet->clients;
  return plane.WhyTarget("web2");
}

constexpr char kWasDeleted[] = R"(
✖ failed     listener web2  10s

broken    listener web2: it was deleted
cause     does_not_exist
said by   the control plane
said      NOT_FOUND: no listener
when      10s ago, 2023-11-14T22:18:10.000Z
in use    nothing in a client that starts now; one that had it may go on with its last good version: ask it with --target
next      put listener web2 back into the configuration, or end what still asks for it
)";

TEST(WhyWithdrawn, WhatWasDeletedIsNoWrongNameThoughAnotherResemblesIt) {
  EXPECT_EQ(WhyOfApiClient(
                R"({"time":"2023-11-14T22:18:10Z","event":"deleted","type":"lds","name":"web2"})"),
            kWasDeleted);
}

// An event of several resources names the first.
TEST(WhyWithdrawn, WhatWasDeletedWithOthersIsKnownByItsTime) {
  EXPECT_EQ(WhyOfApiClient(
                R"json({"time":"2023-11-14T22:18:10Z","event":"deleted","type":"lds","name":"shop",
                        "message":"(and 1 more)"})json"),
            kWasDeleted);
}

TEST(WhyWithdrawn, OtherEventsDoNotSayThatItWasThere) {
  for (const absl::string_view event : {
           R"({"time":"2023-11-14T22:18:10Z","event":"error","type":"lds","name":"web2"})",
           R"({"time":"2023-11-14T22:18:10Z","event":"deleted","type":"cds","name":"web2"})",
           R"({"time":"2023-11-14T22:18:10Z","event":"deleted","type":"lds","name":"shop"})",
           R"json({"time":"2023-11-14T22:18:09Z","event":"deleted","type":"lds","name":"shop",
                   "message":"(and 1 more)"})json",
       }) {
    EXPECT_THAT(WhyOfApiClient(event), testing::HasSubstr("did you mean web?")) << event;
  }
}

// In the words of our own client, and as gRPC C++ before A88 shows it.
TEST(WhyWithdrawn, AProcessThatHadItSaysSo) {
  const auto summary = [](absl::string_view state) {
    const Knowledge known =
        KnownFrom(absl::StrCat(ListenerEntry(), EntryText(kListenerTypeName, "web2", "", state)));
    return Judge(AboutTarget("xds:///web2"), Walk({ListenerLink("web2")}, known), known).summary;
  };
  EXPECT_EQ(summary("client_status: DOES_NOT_EXIST error_state { details: \"deleted: version 42 of "
                    "xds server \\\"x\\\" no longer has it\" }"),
            "listener web2: it was deleted");
  EXPECT_EQ(
      summary("client_status: RECEIVED_ERROR error_state { details: \"NOT_FOUND: none; version "
              "41 is no longer used, because the server has fail_on_data_errors\" }"),
      "listener web2: it was deleted");
  EXPECT_EQ(summary("client_status: DOES_NOT_EXIST version_info: \"41\""),
            "listener web2: it was deleted");
  EXPECT_EQ(summary("client_status: DOES_NOT_EXIST"),
            "listener web2: it does not exist; did you mean web?");
}

// What a deleted resource led to goes with it, and nobody is to mend its names.
TEST(WhyWithdrawn, OfAChainThatIsKeptTheResourceThatWasDeletedIsTheCause) {
  Knowledge known = KnownFrom(ListenerEntry(
      "web", "client_status: RECEIVED_ERROR error_state { details: \"NOT_FOUND: none\" }"));
  known.has_control_plane = true;
  known.served[ListenerLink()] = std::nullopt;
  known.served[{std::string(kRouteConfigTypeName), "web"}] = std::nullopt;
  known.names[std::string(kRouteConfigTypeName)] = {"web1"};
  known.errors.errors = {
      {ListenerLink(), "NOT_FOUND", "none", PlaneError::Origin::kMissing, {"web-1"}}};
  const WhyVerdict verdict = Judge(AboutTarget(), Walk({ListenerLink()}, known), known);
  EXPECT_EQ(verdict.finding, Finding::kDeletedButKept);
  EXPECT_EQ(verdict.summary, "listener web: deleted, and kept by the client");
  EXPECT_TRUE(verdict.also.empty());
}

}  // namespace
}  // namespace holdfast
