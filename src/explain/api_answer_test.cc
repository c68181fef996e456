#include "explain/api_answer.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

absl::Time At(absl::string_view text) {
  absl::Time time;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, nullptr));
  return time;
}

constexpr char kClients[] = R"({"time":"2026-11-16T18:00:00.000Z","commit":12,"synced":true,
 "clients":[{
   "client":"web-1","stream":"w0-3",
   "node":{"id":"web-1","cluster":"web","region":"eu","zone":"a","sub_zone":"","user_agent":"gRPC 1"},
   "peer":"ipv4:127.0.0.1:41234","protocol":"delta","connected_since":"2026-11-16T17:00:00.000Z",
   "state":"failed",
   "types":[{"type":"cds","type_url":"type.googleapis.com/envoy.config.cluster.v3.Cluster",
             "everything":true,"version":"a","acked_version":"","acked_time":null,
             "good":997,"waiting":0,"held_back":1,"failed":1}],
   "resources":[
     {"type":"cds","name":"pay","state":"held_back","version":"a2","client_version":"a1",
      "error":{"code":"INVALID_ARGUMENT","message":"no"},"since":"2026-11-16T17:59:00.000Z"},
     {"type":"cds","name":"old","state":"failed","version":"",
      "error":{"code":"NOT_FOUND","message":"gone"}}],
   "more_resources":3,"events":[{"anything":[1,2]}]}]})";

TEST(ApiAnswer, ReadsClients) {
  const absl::StatusOr<Fleet> fleet = FleetOfApi(kClients);
  ASSERT_EQ(fleet.status(), absl::OkStatus());
  FleetClient client;
  client.id = "web-1";
  client.scope = "w0-3";
  client.node_cluster = "web";
  client.locality = "eu/a/";
  client.user_agent = "gRPC 1";
  client.peer = "ipv4:127.0.0.1:41234";
  client.protocol = "delta";
  client.connected_since = At("2026-11-16T17:00:00Z");
  client.standing = Standing::kFailed;
  client.types = {{.type = std::string(kClusterTypeName),
                   .everything = true,
                   .good = 997,
                   .held_back = 1,
                   .failed = 1}};
  FleetResource old;
  old.type = std::string(kClusterTypeName);
  old.name = "old";
  old.standing = Standing::kFailed;
  old.trouble = Trouble::kDoesNotExist;
  old.code = "NOT_FOUND";
  old.message = "gone";
  FleetResource pay = old;
  pay.name = "pay";
  pay.standing = Standing::kHeldBack;
  pay.trouble = Trouble::kRejected;
  pay.offered = "a2";
  pay.in_use = "a1";
  pay.code = "INVALID_ARGUMENT";
  pay.message = "no";
  pay.since = At("2026-11-16T17:59:00Z");
  client.resources = {old, pay};
  client.more_resources = 3;
  EXPECT_EQ(*fleet, (Fleet{At("2026-11-16T18:00:00Z"), {client}}));
}

// Sent and not answered yet, or asked for and nothing sent yet.
TEST(ApiAnswer, WhatWasSentWaitsForTheClient) {
  const auto trouble = [](absl::string_view version) {
    const absl::StatusOr<Fleet> fleet = FleetOfApi(absl::StrCat(
        R"({"time":"2026-11-16T18:00:00Z","clients":[{"client":"web-1","state":"waiting",
            "resources":[{"type":"cds","name":"pay","state":"waiting","version":")",
        version, R"("}]}]})"));
    EXPECT_EQ(fleet.status(), absl::OkStatus());
    return fleet->clients.at(0).resources.at(0).trouble;
  };
  EXPECT_EQ(trouble(""), Trouble::kRequested);
  EXPECT_EQ(trouble("a1"), Trouble::kUnanswered);
}

TEST(ApiAnswer, ReadsResources) {
  const absl::StatusOr<PlaneResources> served = ResourcesOfApi(
      R"({"time":"2026-11-16T18:00:00.000Z","synced":true,"resources":[{"type":"cds","name":"pay",
          "version":"a1","bytes":512,"clients":{"good":8,"waiting":0,"held_back":1,"failed":0},
          "refers_to":[{"type":"eds","name":"pay"}],"addresses":["127.0.0.1:9001"],
          "problems":["pay.yaml:4:3: warning: x"],"last_good":true}],"more_resources":7})");
  ASSERT_EQ(served.status(), absl::OkStatus());
  PlaneResource pay;
  pay.resource = {std::string(kClusterTypeName), "pay"};
  pay.version = "a1";
  pay.links.refers_to = {{std::string(kEndpointsTypeName), "pay"}};
  pay.links.addresses = {"127.0.0.1:9001"};
  pay.problems = {"pay.yaml:4:3: warning: x"};
  pay.is_last_good = true;
  pay.clients = {.type = std::string(kClusterTypeName), .good = 8, .held_back = 1};
  EXPECT_EQ(*served, (PlaneResources{At("2026-11-16T18:00:00Z"), true, {pay}, true}));
}

// What gRPC makes of it travels too: without it, all would seem good from here.
TEST(ApiAnswer, ReadsWhereRoutesAndEndpointsLead) {
  const absl::StatusOr<PlaneResources> served = ResourcesOfApi(
      R"({"time":"2026-11-16T18:00:00.000Z","incomplete":"1 of 4 workers did not answer in time",
 "resources":[
  {"type":"eds","name":"pay","version":"a","addresses":["a:1","b:1"],"unused_addresses":["b:1"],
   "remark":"1 of 2 localities without a load_balancing_weight"},
  {"type":"rds","name":"web","version":"b","refers_to":[{"type":"cds","name":"pay"}],
   "virtual_hosts":[{"domains":["web","*.web"],"refers_to":[{"type":"cds","name":"pay"}]}]},
  {"type":"rds","name":"empty","version":"c","virtual_hosts":[]}]})");
  ASSERT_EQ(served.status(), absl::OkStatus());
  EXPECT_EQ(served->incomplete, "1 of 4 workers did not answer in time");
  const Link pay = {std::string(kClusterTypeName), "pay"};
  ASSERT_EQ(served->resources.size(), 3);
  EXPECT_EQ(served->resources[0].links,
            (Links{.addresses = {"a:1", "b:1"},
                   .unused_addresses = {"b:1"},
                   .remark = "1 of 2 localities without a load_balancing_weight"}));
  EXPECT_EQ(served->resources[1].links,
            (Links{.refers_to = {pay}, .virtual_hosts = {{{{"web", "*.web"}, {pay}}}}}));
  EXPECT_EQ(served->resources[2].links, (Links{.virtual_hosts = std::vector<HostLinks>()}));
}

TEST(ApiAnswer, ReadsErrors) {
  const absl::StatusOr<PlaneErrors> served = ErrorsOfApi(
      R"({"errors":[{"type":"cds","name":"a","code":"PERMISSION_DENIED","message":"m",
                     "origin":"configured","clients":["web-1"],"more_clients":0},
                    {"type":"acme.Thing","name":"b","code":"NOT_FOUND","message":"n",
                     "origin":"missing","clients":[]}],"more_errors":7,"problems":["p"]})");
  ASSERT_EQ(served.status(), absl::OkStatus());
  EXPECT_EQ(
      *served,
      (PlaneErrors{{{{std::string(kClusterTypeName), "a"},
                     "PERMISSION_DENIED",
                     "m",
                     PlaneError::Origin::kConfigured,
                     {"web-1"}},
                    {{"acme.Thing", "b"}, "NOT_FOUND", "n", PlaneError::Origin::kMissing, {}}},
                   {"p"},
                   "",
                   7}));
}

// What is wrong, and where.
TEST(ApiAnswer, WhatIsNoAnswerOfOursIsSaidToBeNone) {
  const auto error = [](absl::string_view json) { return FleetOfApi(json).status(); };
  EXPECT_EQ(error("<html>"), absl::InvalidArgumentError("the answer is no JSON: line 1, column 1: "
                                                        "expected a value (got \"<\")"));
  EXPECT_EQ(error("[]"), absl::InvalidArgumentError("the answer must be an object (got an array)"));
  EXPECT_EQ(error("{}"), absl::InvalidArgumentError(
                             "the answer is not as expected: clients: missing in the object at "
                             "line 1, column 1; time: must be there at line 1, column 1"));
  EXPECT_EQ(error(R"({"time":"now","clients":[7,{"client":1,"state":"fine","more_resources":-1,
                      "types":[{"type":"cds","good":"many"}]}]})"),
            absl::InvalidArgumentError(
                "the answer is not as expected: clients[0]: must be an object (got a number) at "
                "line 1, column 26; clients[1].client: must be a string (got a number) at line 1, "
                "column 38; clients[1].more_resources: must be a count (got a number) at line 1, "
                "column 72; clients[1].state: must be good, waiting, held_back or failed (got "
                "\"fine\") at line 1, column 48; clients[1].types[0].good: must be a count (got a "
                "string) at line 2, column 53; time: must be a time of RFC 3339 (got \"now\") at "
                "line 1, column 9"));
}

TEST(ApiAnswer, TooManyClientsAndResourcesAreRefused) {
  EXPECT_EQ(FleetOfApi(kClients, 3).status(), absl::OkStatus());  // a client and two resources
  EXPECT_EQ(FleetOfApi(kClients, 2).status(),
            absl::InvalidArgumentError("the answer has more than 2 clients and resources"));
}

TEST(ApiAnswer, AnyTextIsAnAnswerOrAnError) {
  const std::string whole = kClients;
  for (size_t length = 0; length < whole.size(); ++length) {
    for (const char change : {'\0', '"', '{', '9', 'x'}) {
      std::string text = whole;
      text[length] = change;
      if (change == '\0') text.resize(length);
      for (const absl::Status& status :
           {FleetOfApi(text).status(), ResourcesOfApi(text).status(), ErrorsOfApi(text).status()}) {
        EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
      }
    }
  }
}

}  // namespace
}  // namespace holdfast
