// Names that cannot be watched fail at home, without a word on the wire.
#include <gtest/gtest.h>

#include <string>

#include "client/protocol/conversation_test.h"

namespace holdfast {
namespace {

using absl::StatusCode;

struct BadName {
  const char* name;
  const char* watched;
  StatusCode code;
  const char* text;
};

constexpr BadName kBadNames[] = {
    {"Empty", "", StatusCode::kInvalidArgument, "cluster \"\": the name is empty"},
    {"Wildcard", "*", StatusCode::kInvalidArgument,
     "cluster \"*\": a resource is watched by its name, and \"*\" is none"},
    {"NotUtf8", "\xff", StatusCode::kInvalidArgument,
     "cluster \"\\xff\": the name is not valid UTF-8"},
    {"OtherAuthority", "xdstp://elsewhere/test.Cluster/paris", StatusCode::kInvalidArgument,
     "cluster \"xdstp://elsewhere/test.Cluster/paris\": authority \"elsewhere\" is not in "
     "\"authorities\" of the bootstrap"},
    {"Xdstp", "xdstp://here/test.Cluster/paris", StatusCode::kUnimplemented,
     "cluster \"xdstp://here/test.Cluster/paris\": xdstp names are not yet supported by this "
     "build"},
};

class WatchedName : public testing::TestWithParam<BadName> {};

TEST_P(WatchedName, ThatIsBadFailsAtHome) {  // R3.12, R1.50
  ProtocolOptions options = Conversation::Options();
  options.authorities = {"here"};
  Conversation talk(options);
  EXPECT_EQ(talk.Watch("alice", kCluster, GetParam().watched),
            Lines({Fails("alice", GetParam().code, GetParam().text)}));
  EXPECT_TRUE(talk.Snapshot().resources.empty());
  EXPECT_EQ(talk.Cancel("alice"), Lines());
}

INSTANTIATE_TEST_SUITE_P(Names, WatchedName, testing::ValuesIn(kBadNames),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(WatchedNameOf, AnotherTypeIsMalformed) {  // R3.12
  Conversation talk;
  const Lines lines = talk.Watch("alice", kCluster, "xdstp://here/test.Listener/paris");
  ASSERT_EQ(lines.lines.size(), size_t{1});
  EXPECT_TRUE(absl::StartsWith(lines.lines[0],
                               "alice: error INVALID_ARGUMENT: cluster "
                               "\"xdstp://here/test.Listener/paris\": "))
      << lines;
}

TEST(WatchedNameOf, OthersGoOnBesideABadOne) {  // R3.12
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  EXPECT_EQ(talk.Watch("bob", kCluster, "*").StartingWith("send"), Lines());
  EXPECT_EQ(talk.Receive(Answer(kCluster, "2").Has("paris", "v2")).For("bob"), Lines());
}

}  // namespace
}  // namespace holdfast
