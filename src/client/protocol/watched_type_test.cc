// A name on the wire is one type for a client. What cannot be watched beside it fails at home, and
// nobody else notices.
#include <gtest/gtest.h>

#include <string>

#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

const WordType kOtherCluster("test.Cluster", "other cluster", /*is_full_state=*/false);

constexpr char kWhatToDo[] =
    "type test.Cluster: this client already watches it through another type object; use that "
    "object, or an XdsClient of its own";

TEST(WatchedType, OfAnotherObjectIsRefused) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  for (const char* name : {"paris", "rome"}) {
    EXPECT_EQ(talk.Watch("bob", kOtherCluster, name),
              Lines({Fails("bob", StatusCode::kInvalidArgument,
                           absl::StrCat("other cluster \"", name, "\": ", kWhatToDo))}));
    EXPECT_EQ(talk.Cancel("bob"), Lines());
  }
}

TEST(WatchedType, OfAnotherObjectDisturbsNobody) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Watch("bob", kOtherCluster, "paris");
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")),
            Lines({Gets("alice", "v2", "2"), Valid(kCluster, 1), Ack(kCluster, {"paris"}, "2")}));
}

// Whoever was first is it for good: the server's versions and nonces are of that type.
TEST(WatchedType, StaysTheFirstObjectWhenNobodyWatchesIt) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  talk.Cancel("alice");
  EXPECT_EQ(talk.Watch("bob", kOtherCluster, "paris"),
            Lines({Fails("bob", StatusCode::kInvalidArgument,
                         absl::StrCat("other cluster \"paris\": ", kWhatToDo))}));
}

// One that was refused was no first.
TEST(WatchedType, IsNotTakenByARefusedWatch) {
  Conversation talk;
  talk.Watch("alice", kCluster, "*");
  EXPECT_EQ(talk.Watch("bob", kOtherCluster, "paris").StartingWith("open"),
            Lines({"open stream 1"}));
}

struct BadType {
  const char* name;
  const char* type_name;
  const char* text;
};

constexpr BadType kBadTypes[] = {
    {"Empty", "", "its type has no name: type_name() is empty"},
    {"Url", "type.googleapis.com/test.Cluster",
     "type \"type.googleapis.com/test.Cluster\": type_name() must be the name of a message, "
     "without \"type.googleapis.com/\""},
    {"NotUtf8", "test.\xff", "type \"test.\\xff\": type_name() is not valid UTF-8"},
};

class WatchedTypeName : public testing::TestWithParam<BadType> {};

TEST_P(WatchedTypeName, ThatIsBadFailsAtHome) {
  const WordType type(GetParam().type_name, "cluster", /*is_full_state=*/false);
  Conversation talk;
  EXPECT_EQ(talk.Watch("alice", type, "paris"),
            Lines({Fails("alice", StatusCode::kInvalidArgument,
                         absl::StrCat("cluster \"paris\": ", GetParam().text))}));
  EXPECT_TRUE(talk.Snapshot().resources.empty());
  EXPECT_EQ(talk.Cancel("alice"), Lines());
}

INSTANTIATE_TEST_SUITE_P(Names, WatchedTypeName, testing::ValuesIn(kBadTypes),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace holdfast
