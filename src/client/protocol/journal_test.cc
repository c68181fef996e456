// What the cache shows of itself: the six states, and how an entry came to its own.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/protocol/conversation_test.h"
#include "xds/cache_state.h"

namespace holdfast {
namespace {

using absl::Seconds;

// "0s requested > acked cached 1: received"
std::vector<std::string> JournalOf(const Conversation& talk, const std::string& place) {
  const ResourceSnapshot shown = talk.Shown(kCluster, place);
  std::vector<std::string> lines;
  for (const JournalRecord& record : shown.journal) {
    const absl::Duration ago = talk.now() - absl::FromChrono(record.when);
    lines.push_back(
        absl::StrCat(absl::FormatDuration(ago), " ago ", CacheStateLabel(record.from, false), " > ",
                     CacheStateLabel(record.to, false), record.is_cached ? " cached" : "", " \"",
                     record.version, "\": ", record.why));
  }
  return lines;
}

TEST(Journal, TellsTheLifeOfAnEntry) {  // R3.21
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.Settle();
  talk.Pass(Seconds(16));
  talk.Receive(Answer(kCluster, "1").Has("paris", "v1"));
  talk.Settle();
  talk.Pass(Seconds(10));
  talk.Receive(Answer(kCluster, "2").Error("paris", 7, "ask #net"));
  EXPECT_EQ(JournalOf(talk, "paris"),
            (std::vector<std::string>{
                "26s ago requested > requested \"\": subscribed",
                "11s ago requested > does_not_exist \"\": cluster \"paris\": xds server "
                "\"cp:18000\" did not send it within 15s, so it is taken not to exist (node "
                "\"web-1\")",
                "10s ago does_not_exist > acked cached \"1\": received",
                "0 ago acked > received_error cached \"2\": cluster \"paris\": ask #net; keeping "
                "version 1 (node \"web-1\")"}));
  EXPECT_EQ(talk.Shown(kCluster, "paris").journal_dropped, size_t{0});
}

TEST(Journal, KeepsTheNewestSixteen) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  for (int i = 2; i < 30; ++i) {
    talk.Receive(Answer(kCluster, absl::StrCat(i)).Has("paris", absl::StrCat("v", i)));
    talk.Settle();
  }
  const ResourceSnapshot shown = talk.Shown(kCluster, "paris");
  EXPECT_EQ(shown.journal.size(), size_t{16});
  EXPECT_EQ(shown.journal.back().version, "29");
  EXPECT_EQ(shown.journal.front().version, "14");
  EXPECT_EQ(shown.journal_dropped, size_t{14});
}

TEST(Journal, HasNoLineForWhatChangedNothing) {
  Conversation talk;
  talk.Begin(kCluster, {{"alice", "paris"}});
  for (int i = 2; i < 10; ++i) {
    talk.Receive(Answer(kCluster, absl::StrCat(i)).Error("paris", 14, "later"));
    talk.Settle();
  }
  EXPECT_EQ(talk.Shown(kCluster, "paris").journal.size(), size_t{3});
}

// The state after each kind of news; each error is recorded, and ACKED has none.
TEST(Journal, KnowsSixStates) {  // R3.20, R3.21, R3.22, R9.07, R10.02
  const auto story = [](bool strict, const Answer* first, const Answer* second) {
    Conversation talk({.fail_on_data_errors = strict});
    talk.Watch("alice", kCluster, "paris");
    talk.Settle();
    for (const Answer* answer : {first, second}) {
      if (answer != nullptr) talk.Receive(*answer);
      talk.Settle();
    }
    const ResourceSnapshot shown = talk.Shown(kCluster, "paris");
    const bool is_good = shown.state == CacheState::kAcked || shown.state == CacheState::kRequested;
    EXPECT_EQ(shown.error.has_value(), !is_good) << shown.cache_state;
    EXPECT_EQ(shown.cache_state, CacheStateLabel(shown.state, shown.bytes != nullptr));
    return std::pair(shown.state, shown.cache_state);
  };
  Answer good(kCluster, "1");
  good.Has("paris", "v1");
  Answer bad(kCluster, "2");
  bad.Has("paris", "bad");
  Answer error(kCluster, "3");
  error.Error("paris", 5, "gone");
  const Answer absent(kCluster, "4");
  const auto is = [](CacheState state, const std::string& label) {
    return std::pair(state, label);
  };
  EXPECT_EQ(story(false, nullptr, nullptr), is(CacheState::kRequested, "requested"));
  EXPECT_EQ(story(false, &good, nullptr), is(CacheState::kAcked, "acked"));
  EXPECT_EQ(story(false, &bad, nullptr), is(CacheState::kNacked, "nacked"));
  EXPECT_EQ(story(false, &good, &bad), is(CacheState::kNacked, "nacked_but_cached"));
  EXPECT_EQ(story(true, &good, &bad), is(CacheState::kNacked, "nacked"));
  EXPECT_EQ(story(false, &error, nullptr), is(CacheState::kReceivedError, "received_error"));
  EXPECT_EQ(story(false, &good, &error),
            is(CacheState::kReceivedError, "received_error_but_cached"));
  EXPECT_EQ(story(true, &good, &error), is(CacheState::kReceivedError, "received_error"));
  EXPECT_EQ(story(false, &good, &absent),
            is(CacheState::kDoesNotExist, "does_not_exist_but_cached"));
  EXPECT_EQ(story(true, &good, &absent), is(CacheState::kDoesNotExist, "does_not_exist"));
  EXPECT_EQ(story(false, &bad, &good), is(CacheState::kAcked, "acked"));
  EXPECT_EQ(story(false, &error, &good), is(CacheState::kAcked, "acked"));
  EXPECT_EQ(story(true, &error, &bad), is(CacheState::kNacked, "nacked"));
  EXPECT_EQ(story(true, &bad, &error), is(CacheState::kReceivedError, "received_error"));
}

TEST(Journal, ShowsWhatIsWatchedByTypeAndName) {  // R3.08
  Conversation talk;
  talk.Watch("alice", kListener, "rome");
  talk.Watch("bob", kCluster, "paris");
  talk.Watch("carol", kCluster, "lyon");
  talk.Watch("dave", kCluster, "lyon");
  std::vector<std::string> shown;
  const ClientSnapshot snapshot = talk.Snapshot();
  for (const ResourceSnapshot& resource : snapshot.resources) {
    shown.push_back(absl::StrCat(resource.type_url, " ", resource.authority, " ", resource.name,
                                 " ", resource.watchers));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"type.googleapis.com/test.Cluster #old lyon 2",
                                             "type.googleapis.com/test.Cluster #old paris 1",
                                             "type.googleapis.com/test.Listener #old rome 1"}));
  EXPECT_EQ(snapshot.key, "xds_client");
  EXPECT_EQ(snapshot.node_id, "web-1");
  ASSERT_EQ(snapshot.servers.size(), size_t{1});
  EXPECT_EQ(snapshot.servers[0].uri, "cp:18000");
  EXPECT_TRUE(snapshot.servers[0].is_connected);
}

TEST(Journal, ShowsWhyAServerIsOutOfReach) {  // R3.09
  Conversation talk;
  talk.Watch("alice", kCluster, "paris");
  talk.StreamEnds(absl::UnavailableError("refused"));
  const ServerSnapshot server = talk.Snapshot().servers[0];
  EXPECT_FALSE(server.is_connected);
  ASSERT_TRUE(server.error.has_value());
  EXPECT_EQ(TextOf(*server.error),
            "xds server \"cp:18000\": the stream ended before any response: UNAVAILABLE: refused "
            "(node \"web-1\")");
  EXPECT_FALSE(talk.Shown(kCluster, "paris").error.has_value());
}

}  // namespace
}  // namespace holdfast
