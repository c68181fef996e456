#include "explain/csds_answer.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "explain/why_case_test.h"
#include "wire/wire_writer.h"

namespace holdfast {
namespace {

Fleet Read(absl::string_view text) {
  const absl::StatusOr<Fleet> fleet = FleetOfCsds(
      FromText("envoy.service.status.v3.ClientStatusResponse", text), kNow, KeepBytes::kNo);
  EXPECT_EQ(fleet.status(), absl::OkStatus());
  return fleet.value_or(Fleet());
}

// The one resource of the one client.
FleetResource ReadOne(absl::string_view entry) {
  const Fleet fleet = Read(absl::StrCat("config { ", entry, " }"));
  EXPECT_EQ(fleet.clients.size(), 1);
  if (fleet.clients.empty() || fleet.clients[0].resources.size() != 1) {
    ADD_FAILURE() << "not one resource";
    return {};
  }
  return fleet.clients[0].resources[0];
}

TEST(CsdsAnswer, NoClientsAreNoError) { EXPECT_EQ(Read(""), Fleet{.time = kNow}); }

TEST(CsdsAnswer, ReadsWhoAClientIs) {
  const Fleet fleet = Read(R"(config {
      node { id: "web-1" cluster: "web" locality { region: "eu" zone: "eu-1" }
             user_agent_name: "grpc-go" user_agent_version: "1.81.1" }
      client_scope: "xds:///web" })");
  FleetClient expected;
  expected.id = "web-1";
  expected.scope = "xds:///web";
  expected.node_cluster = "web";
  expected.locality = "eu/eu-1/";
  expected.user_agent = "grpc-go 1.81.1";
  EXPECT_EQ(fleet, (Fleet{kNow, {expected}}));
}

// Each state of gRFC A88, with and without a version in use.
TEST(CsdsAnswer, ReadsEveryState) {  // R9.07
  struct Row {
    const char* status;
    Standing cached;
    Standing bare;
    Trouble trouble;
  };
  constexpr Row kRows[] = {
      {"REQUESTED", Standing::kWaiting, Standing::kWaiting, Trouble::kRequested},
      {"DOES_NOT_EXIST error_state { details: \"deleted: gone\" last_update_attempt { seconds: "
       "1700000180 } }",
       Standing::kHeldBack, Standing::kFailed, Trouble::kDoesNotExist},
      {"ACKED", Standing::kGood, Standing::kGood, Trouble::kNone},
      {"NACKED", Standing::kHeldBack, Standing::kFailed, Trouble::kRejected},
      {"RECEIVED_ERROR", Standing::kHeldBack, Standing::kFailed, Trouble::kServerError},
      {"TIMEOUT", Standing::kHeldBack, Standing::kFailed, Trouble::kTimeout},
      {"UNKNOWN", Standing::kWaiting, Standing::kWaiting, Trouble::kRequested},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.status);
    const std::string status = absl::StrCat("client_status: ", row.status);
    const FleetResource cached = ReadOne(ClusterEntry(status));
    EXPECT_EQ(cached.standing, row.cached);
    EXPECT_EQ(cached.trouble, row.trouble);
    EXPECT_EQ(cached.in_use, "41");
    EXPECT_EQ(cached.since, kNow - absl::Seconds(120));
    const FleetResource bare = ReadOne(EntryText(kClusterTypeName, "pay", "", status));
    EXPECT_EQ(bare.standing, row.bare);
    EXPECT_EQ(bare.in_use, std::nullopt);
  }
}

// gRPC C++ before A88: it uses nothing any more, and shows what it had.
TEST(CsdsAnswer, WhatWasDeletedWithoutAWordIsNotInUse) {
  const FleetResource pay = ReadOne(ClusterEntry("client_status: DOES_NOT_EXIST"));
  EXPECT_EQ(pay.standing, Standing::kFailed);
  EXPECT_EQ(pay.trouble, Trouble::kDoesNotExist);
  EXPECT_EQ(pay.in_use, std::nullopt);
  EXPECT_EQ(pay.bytes, std::nullopt);
}

TEST(CsdsAnswer, AnErrorComesWithItsCodeVersionAndTime) {
  FleetResource expected;
  expected.type = std::string(kClusterTypeName);
  expected.name = "pay";
  expected.standing = Standing::kHeldBack;
  expected.trouble = Trouble::kServerError;
  expected.in_use = "41";
  expected.code = "PERMISSION_DENIED";
  expected.message = "ask #payments";
  expected.since = kNow - absl::Seconds(60);
  EXPECT_EQ(ReadOne(ClusterEntry(absl::StrCat(
                "client_status: RECEIVED_ERROR error_state { version_info: \"42\" details: "
                "\"PERMISSION_DENIED: ask #payments\" last_update_attempt ",
                Ago(60), " }"))),
            expected);
}

// What a control plane says that has no client_status, as Istio's.
TEST(CsdsAnswer, ReadsTheViewOfAControlPlane) {
  const std::string head = "generic_xds_configs { type_url: \"acme.Thing\" name: \"a\" ";
  EXPECT_EQ(ReadOne(head + "config_status: SYNCED }").standing, Standing::kGood);
  EXPECT_EQ(ReadOne(head + "config_status: NOT_SENT }").trouble, Trouble::kRequested);
  EXPECT_EQ(ReadOne(head + "config_status: NOT_SENT }").standing, Standing::kWaiting);
  EXPECT_EQ(ReadOne(head + "config_status: STALE }").trouble, Trouble::kUnanswered);
  EXPECT_EQ(ReadOne(head + "config_status: STALE }").standing, Standing::kWaiting);
  EXPECT_EQ(ReadOne(head + "config_status: ERROR }").standing, Standing::kFailed);
  // Ours: it has one version, and does not answer for the next, which has no name here.
  const FleetResource stale =
      ReadOne(head + "version_info: \"41\" client_status: ACKED config_status: STALE }");
  EXPECT_EQ(stale.standing, Standing::kWaiting);
  EXPECT_EQ(stale.trouble, Trouble::kUnanswered);
  EXPECT_EQ(stale.in_use, "41");
  EXPECT_EQ(stale.offered, "");
  EXPECT_EQ(ReasonOf(stale, kNow), "the newest version was sent and is not answered yet");
  EXPECT_EQ(ReadOne(head + "client_status: ACKED config_status: SYNCED }").standing,
            Standing::kGood);
}

TEST(CsdsAnswer, CountsByTypeAndStandsAsTheWorst) {
  const Fleet fleet = Read(absl::StrCat(
      "config { ", ClusterEntry(), EntryText(kClusterTypeName, "a", "", "client_status: NACKED"),
      ListenerEntry(), "} config { node { id: \"b\" } ", ListenerEntry(), "}"));
  ASSERT_EQ(fleet.clients.size(), 2);
  EXPECT_EQ(fleet.clients[0].standing, Standing::kFailed);
  ASSERT_EQ(fleet.clients[0].types.size(), 2);
  EXPECT_EQ(fleet.clients[0].types[0],
            (FleetType{.type = std::string(kListenerTypeName), .good = 1}));
  EXPECT_EQ(fleet.clients[0].types[1],
            (FleetType{.type = std::string(kClusterTypeName), .good = 1, .failed = 1}));
  EXPECT_EQ(fleet.clients[0].resources[0].name, "a");
  EXPECT_EQ(fleet.clients[1].id, "b");
  EXPECT_EQ(fleet.clients[1].standing, Standing::kGood);
}

// Bytes of the older form, of which our schema has no dumps: field by field.
std::string Field(int number, absl::string_view bytes) {
  EXPECT_LT(bytes.size(), 128);
  return absl::StrCat(std::string(1, static_cast<char>(number << 3 | 2)),
                      std::string(1, static_cast<char>(bytes.size())), bytes);
}
std::string Number(int number, int value) {
  return std::string({static_cast<char>(number << 3), static_cast<char>(value)});
}
Fleet ReadPerXds(absl::string_view per_xds) {
  const absl::StatusOr<Fleet> fleet =
      FleetOfCsds(Field(1, Field(2, per_xds)), kNow, KeepBytes::kNo);
  EXPECT_EQ(fleet.status(), absl::OkStatus());
  return fleet.value_or(Fleet());
}

// In PerXdsConfig 4 is not NACKED but "the server said so".
TEST(CsdsAnswer, TheOlderFormHasNumbersOfItsOwn) {  // R9.08
  const std::string cluster =
      Field(1, "7") + Field(2, Field(1, "type") + Field(2, Field(1, "pay")));
  const auto with_status = [&cluster](int status) {
    const Fleet fleet = ReadPerXds(Number(7, status) + Field(3, Field(3, cluster)));
    EXPECT_EQ(fleet.clients.at(0).resources.size(), 1);
    return fleet.clients.at(0).resources.at(0);
  };
  FleetResource expected;
  expected.type = std::string(kClusterTypeName);
  expected.name = "pay";
  expected.offered = "7";
  expected.in_use = "7";
  EXPECT_EQ(with_status(2), expected);
  expected.standing = Standing::kWaiting;
  expected.trouble = Trouble::kRequested;
  EXPECT_EQ(with_status(1), expected);
  expected.standing = Standing::kHeldBack;
  expected.trouble = Trouble::kRejected;
  EXPECT_EQ(with_status(3), expected);
  expected.trouble = Trouble::kServerError;
  EXPECT_EQ(with_status(4), expected);
  EXPECT_EQ(ReasonOf(with_status(4), kNow), "server error [uses version 7]");
}

TEST(CsdsAnswer, TheOlderFormHasListenersRoutesAndEndpoints) {
  const std::string any = Field(2, Field(1, "type") + Field(2, Field(1, "web")));
  const std::string listener =  // name, active_state, client_status NACKED
      Field(1, "web") + Field(2, Field(1, "7")) + Field(5, Field(3, "bad")) + Number(6, 4);
  const std::string dynamic = Field(1, "7") + any + Number(5, 3);  // ACKED
  const Fleet fleet = ReadPerXds(Field(2, Field(3, listener)));
  ASSERT_EQ(fleet.clients.at(0).resources.size(), 1);
  const FleetResource& told = fleet.clients[0].resources[0];
  EXPECT_EQ(told.type, kListenerTypeName);
  EXPECT_EQ(told.name, "web");
  EXPECT_EQ(told.standing, Standing::kHeldBack);
  EXPECT_EQ(told.message, "bad");
  for (const auto& [field, type] :
       {std::pair(4, kRouteConfigTypeName), std::pair(6, kEndpointsTypeName)}) {
    const Fleet other = ReadPerXds(Field(field, Field(3, dynamic)));
    ASSERT_EQ(other.clients.at(0).resources.size(), 1);
    EXPECT_EQ(other.clients[0].resources[0].type, type);
    EXPECT_EQ(other.clients[0].resources[0].name, "web");
    EXPECT_EQ(other.clients[0].resources[0].standing, Standing::kGood);
  }
}

// The status of a type whose entries say nothing of it.
TEST(CsdsAnswer, TroubleOfAWholeTypeIsNotLost) {
  const Fleet fleet = ReadPerXds(Number(7, 4));
  ASSERT_EQ(fleet.clients.at(0).resources.size(), 1);
  EXPECT_EQ(fleet.clients[0].resources[0].name, "*");
  EXPECT_EQ(fleet.clients[0].resources[0].trouble, Trouble::kServerError);
  EXPECT_EQ(fleet.clients[0].standing, Standing::kFailed);
}

TEST(CsdsAnswer, WhatIsNoAnswerIsSaidToBeNone) {
  EXPECT_EQ(FleetOfCsds("hello", kNow, KeepBytes::kNo).status(),
            absl::InvalidArgumentError("the answer of 5 bytes cannot be parsed: truncated, or not "
                                       "what CSDS answers"));
  EXPECT_EQ(FleetOfCsds(Field(1, "hello"), kNow, KeepBytes::kNo).status(),
            absl::InvalidArgumentError("the answer of 7 bytes has clients that cannot be parsed: "
                                       "truncated, or not what CSDS answers"));
}

// Two bytes each in the message, and some hundred in memory.
TEST(CsdsAnswer, MoreThanAMillionAreRefused) {
  std::string many = "\x0a";
  AppendVarint(many, 2'000'000);
  for (int i = 0; i < 1'000'000; ++i) many.append("\x1a\x00", 2);
  EXPECT_EQ(FleetOfCsds(many, kNow, KeepBytes::kNo).status(),
            absl::InvalidArgumentError("the answer of 2000004 bytes has 1000001 clients and "
                                       "resources, more than 1000000"));
}

TEST(CsdsAnswer, AnyBytesAreAnAnswerOrAnError) {
  const std::string whole =
      FromText("envoy.service.status.v3.ClientStatusResponse",
               absl::StrCat("config { node { id: \"web-1\" } ", ListenerEntry(), ClusterEntry(),
                            EndpointsEntry(kOneEndpoint), " }"));
  for (size_t length = 0; length < whole.size(); ++length) {
    for (const int change : {0, 1, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[length] = static_cast<char>(bytes[length] ^ change);
      if (change == 0) bytes.resize(length);
      const absl::StatusOr<Fleet> fleet = FleetOfCsds(bytes, kNow, KeepBytes::kYes);
      EXPECT_TRUE(fleet.ok() || absl::IsInvalidArgument(fleet.status()));
    }
  }
}

}  // namespace
}  // namespace holdfast
