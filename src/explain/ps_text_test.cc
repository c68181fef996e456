#include "explain/ps_text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text_width.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'300);

FleetResource Cluster(std::string name, Standing standing, Trouble trouble, std::string message,
                      int seconds_ago) {
  FleetResource resource;
  resource.type = std::string(kClusterTypeName);
  resource.name = std::move(name);
  resource.standing = standing;
  resource.trouble = trouble;
  resource.message = std::move(message);
  resource.since = kNow - absl::Seconds(seconds_ago);
  return resource;
}

FleetClient Client(std::string id, Standing standing) {
  FleetClient client;
  client.id = std::move(id);
  client.standing = standing;
  client.types = {{.type = std::string(kListenerTypeName), .good = 1},
                  {.type = std::string(kClusterTypeName), .good = 12}};
  client.connected_since = kNow - absl::Hours(3);
  return client;
}

// One of each.
Fleet OneOfEach() {
  Fleet fleet;
  fleet.time = kNow;
  FleetClient failed = Client("web-3", Standing::kFailed);
  FleetResource denied = Cluster("billing", Standing::kFailed, Trouble::kServerError,
                                 "team web may not read billing", 5);
  denied.code = "PERMISSION_DENIED";
  failed.resources = {denied,
                      Cluster("gone", Standing::kFailed, Trouble::kDoesNotExist, "deleted", 9)};
  failed.types[1].failed = 2;
  FleetClient held_back = Client("web-1", Standing::kHeldBack);
  FleetResource rejected =
      Cluster("pay", Standing::kHeldBack, Trouble::kRejected, "type: must be EDS", 200);
  rejected.in_use = "a1";
  held_back.resources = {rejected};
  held_back.types[1].held_back = 1;
  FleetClient waiting = Client("web-4", Standing::kWaiting);
  waiting.resources = {Cluster("new", Standing::kWaiting, Trouble::kRequested, "", 4)};
  waiting.types[1].waiting = 1;
  fleet.clients = {Client("web-2", Standing::kGood), waiting, held_back, failed};
  Arrange(fleet);
  return fleet;
}

std::string Lines(const Fleet& fleet, const PsStyle& style) {
  return absl::StrCat("\n", absl::StrJoin(PsLines(fleet, style), "\n"), "\n");
}

TEST(PsText, WorstFirstWithReasons) {
  EXPECT_EQ(Lines(OneOfEach(), {}), R"(
CLIENT  STATE        AGE  TYPES              REASON
web-3   ✖ failed     9s   lds 1/1 cds 12/14  cds/billing: server error PERMISSION_DENIED: team web may not read billing
                                             cds/gone: does not exist: deleted
web-1   ▲ held back  3m   lds 1/1 cds 12/13  cds/pay: rejected by the client: type: must be EDS [uses version a1]
web-4   ◌ waiting    4s   lds 1/1 cds 12/13  cds/new: REQUESTED (4 s of 15)
web-2   ✔ good       3h   lds 1/1 cds 12/12
)");
}

TEST(PsText, FitsTheTerminal) {
  EXPECT_EQ(Lines(OneOfEach(), {.width = 70}), R"(
CLIENT  STATE        AGE  TYPES              REASON
web-3   ✖ failed     9s   lds 1/1 cds 12/14  cds/billing: server erro…
                                             cds/gone: does not exist…
web-1   ▲ held back  3m   lds 1/1 cds 12/13  cds/pay: rejected by the…
web-4   ◌ waiting    4s   lds 1/1 cds 12/13  cds/new: REQUESTED (4 s …
web-2   ✔ good       3h   lds 1/1 cds 12/12
)");
  for (const std::string& line : PsLines(OneOfEach(), {.width = 70})) EXPECT_LE(WidthOf(line), 70);
}

TEST(PsText, WideShowsEverything) {
  EXPECT_EQ(Lines(OneOfEach(), {.is_wide = true}), R"(
CLIENT  STATE        AGE  TYPES              SCOPE  PEER  PROTOCOL  CLUSTER  LOCALITY  AGENT  REASON
web-3   ✖ failed     9s   lds 1/1 cds 12/14  -      -     -         -        -         -      cds/billing: server error PERMISSION_DENIED: team web may not read billing
                                                                                              cds/gone: does not exist: deleted
web-1   ▲ held back  3m   lds 1/1 cds 12/13  -      -     -         -        -         -      cds/pay: rejected by the client: type: must be EDS [uses version a1]
web-4   ◌ waiting    4s   lds 1/1 cds 12/13  -      -     -         -        -         -      cds/new: REQUESTED (4 s of 15)
web-2   ✔ good       3h   lds 1/1 cds 12/12  -      -     -         -        -         -
)");
}

TEST(PsText, ManyReasonsAreCounted) {
  Fleet fleet;
  fleet.time = kNow;
  FleetClient client = Client("web-1", Standing::kFailed);
  for (int i = 0; i < 5; ++i) {
    client.resources.push_back(
        Cluster(absl::StrCat("c", i), Standing::kFailed, Trouble::kTimeout, "", i));
  }
  client.types[1].failed = 45;
  client.more_resources = 40;
  fleet.clients = {client};
  EXPECT_EQ(Lines(fleet, {}), R"(
CLIENT  STATE        AGE  TYPES              REASON
web-1   ✖ failed     4s   lds 1/1 cds 12/57  cds/c0: timeout
                                             cds/c1: timeout
                                             cds/c2: timeout
                                             and 42 more: -o wide shows them
)");
}

// Two processes, or two channels of one, may have the same id.
// Whoever connects chooses the types it asks for.
TEST(PsText, ManyTypesAreCounted) {
  FleetClient client;
  client.id = "web-1";
  for (int i = 0; i < 100; ++i) {
    client.types.push_back({.type = absl::StrCat(std::string(500, 'x'), i), .good = 1});
  }
  const std::vector<std::string> lines = PsLines({kNow, {client}, ""}, {});
  ASSERT_EQ(lines.size(), 2);
  EXPECT_LT(lines[1].size(), 500);
  EXPECT_TRUE(absl::EndsWith(lines[1], " 1/1 +94")) << lines[1];
}

TEST(PsText, ClientsOfOneIdAreToldApart) {
  Fleet fleet;
  fleet.time = kNow;
  fleet.clients = {Client("web-1", Standing::kGood), Client("web-1", Standing::kGood),
                   Client("", Standing::kGood)};
  fleet.clients[0].scope = "w0-1";
  fleet.clients[1].scope = "w0-2";
  EXPECT_EQ(Lines(fleet, {}), R"(
CLIENT        STATE        AGE  TYPES              REASON
web-1 (w0-1)  ✔ good       3h   lds 1/1 cds 12/12
web-1 (w0-2)  ✔ good       3h   lds 1/1 cds 12/12
(no id)       ✔ good       3h   lds 1/1 cds 12/12
)");
}

TEST(PsText, ColoursOnlyTheState) {
  EXPECT_EQ(PsLines(OneOfEach(), {.has_colour = true}).at(1).substr(0, 44),
            "web-3   \x1b[31m✖ failed   \x1b[0m  9s   lds 1/1");
}

TEST(PsText, NamesFromOutsideStayNames) {
  Fleet fleet;
  fleet.time = kNow;
  FleetClient client = Client("web\x1b[2J\n1", Standing::kFailed);
  client.resources = {
      Cluster("a\nb", Standing::kFailed, Trouble::kRejected, "x\x1b]0;y\x07\nweb-9  good", 1)};
  fleet.clients = {client};
  EXPECT_EQ(Lines(fleet, {}), R"(
CLIENT     STATE        AGE  TYPES              REASON
web [2J 1  ✖ failed     1s   lds 1/1 cds 12/12  cds/a b: rejected by the client: x ]0;y  web-9  good
)");
}

TEST(PsText, JsonIsWhole) {
  const std::string message(5000, 'x');
  FleetClient client = Client("web-1", Standing::kHeldBack);
  client.scope = "w0-3";
  FleetResource pay = Cluster("pay", Standing::kHeldBack, Trouble::kRejected, message, 200);
  pay.in_use = "a1";
  pay.offered = "a2";
  pay.code = "INVALID_ARGUMENT";
  client.resources = {pay, Cluster("good", Standing::kGood, Trouble::kNone, "", 1)};
  EXPECT_EQ(PsJson({kNow, {client}, "1 of 4 workers did not answer in time"}),
            absl::StrCat(R"({"time":"2023-11-14T22:18:20.000Z",)",
                         R"("incomplete":"1 of 4 workers did not answer in time",)",
                         R"("clients":[{"client":"web-1","scope":"w0-3","state":"held_back",)",
                         R"("since":"2023-11-14T22:15:00.000Z",)",
                         R"("connected_since":"2023-11-14T19:18:20.000Z",)",
                         R"("types":[{"type":"lds","everything":false,"good":1,"waiting":0,)",
                         R"("held_back":0,"failed":0},{"type":"cds","everything":false,"good":12,)",
                         R"("waiting":0,"held_back":0,"failed":0}],)",
                         R"("resources":[{"type":"cds","name":"pay","state":"held_back",)",
                         R"("version":"a2","client_version":"a1",)",
                         R"("error":{"code":"INVALID_ARGUMENT","message":")", message,
                         R"("},"since":"2023-11-14T22:15:00.000Z"}],"more_resources":0,)",
                         R"("time":"2023-11-14T22:18:20.000Z"}]})"));
  EXPECT_EQ(PsJson({kNow, {}, ""}), R"({"time":"2023-11-14T22:18:20.000Z","clients":[]})");
}

}  // namespace
}  // namespace holdfast
