// A server that no longer lists a cluster: what happens depends on its features and on the guard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/end_to_end/client_under_test.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

enum class Outcome { kKept, kDropped, kNothing };

struct DeletionCase {
  std::string name;
  const char* guard;
  std::vector<std::string> features;
  Outcome outcome;
};
void PrintTo(const DeletionCase& row, std::ostream* out) { *out << row.name; }

const DeletionCase kCases[] = {
    {"Tolerant", "true", {}, Outcome::kKept},                        // R3-T09 R6.01
    {"Strict", "true", {"fail_on_data_errors"}, Outcome::kDropped},  // R3-T10 R9.09
    {"IgnoringChangesNothing", "true", {"ignore_resource_deletion"}, Outcome::kKept},  // R6.02
    {"StrictAndIgnoring",                                                              // R6.02
     "true",
     {"fail_on_data_errors", "ignore_resource_deletion"},
     Outcome::kDropped},
    {"Legacy", "false", {}, Outcome::kDropped},                                    // R3.33 R6.04
    {"LegacyStrict", "false", {"fail_on_data_errors"}, Outcome::kDropped},         // R3.33
    {"LegacyIgnoring", "false", {"ignore_resource_deletion"}, Outcome::kNothing},  // R6.04
};

class EndToEndDeletion : public testing::TestWithParam<DeletionCase> {};

TEST_P(EndToEndDeletion, OfACluster) {
  const ScopedEnvironment guard("GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING", GetParam().guard);
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address(), GetParam().features));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  stream->Send(TestResponse(ClusterType(), "2").Bytes());
  stream->NextRequest([](const auto& request) { return request.version_info == "2"; });

  const ResourceSnapshot deleted = SnapshotOf(*client, "pay");
  if (GetParam().outcome == Outcome::kNothing) {
    EXPECT_EQ(deleted.cache_state, "acked");
  } else {
    const bool is_kept = GetParam().outcome == Outcome::kKept;
    const Heard heard = alice.Next();
    EXPECT_EQ(heard.kind, is_kept ? Heard::kAmbientError : Heard::kError);
    EXPECT_EQ(heard.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(heard.cause(), Cause::kDeleted);
    EXPECT_THAT(heard.text(), HasSubstr("deleted"));
    EXPECT_EQ(deleted.state, CacheState::kDoesNotExist);
    EXPECT_EQ(deleted.cache_state, is_kept ? "does_not_exist_but_cached" : "does_not_exist");
    EXPECT_EQ(deleted.bytes != nullptr, is_kept);
  }

  // It comes back as it was: who kept it hears that all is well, who lost it gets it again.
  stream->Send(TestResponse(ClusterType(), "3").Resource(ClusterBytes("pay")).Bytes());
  stream->NextRequest([](const auto& request) { return request.version_info == "3"; });
  if (GetParam().outcome != Outcome::kNothing) {
    const bool is_kept = GetParam().outcome == Outcome::kKept;
    EXPECT_THAT(alice.Next(), OfKind(is_kept ? Heard::kAllClear : Heard::kValue));
  }
  EXPECT_EQ(SnapshotOf(*client, "pay").cache_state, "acked");
  const size_t calls = GetParam().outcome == Outcome::kNothing ? 1 : 3;
  EXPECT_EQ(alice.watcher->All().size(), calls);
}

INSTANTIATE_TEST_SUITE_P(Cases, EndToEndDeletion, testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

// Alice keeps a deleted cluster and knows why; Bob, who comes later, hears both (A88).
TEST(EndToEndDeletions, ALateWatcherHearsTheValueAndWhyItIsStale) {  // R3-T27 R3.05
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  stream->Send(TestResponse(ClusterType(), "2").Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kAmbientError));

  Watching bob = WatchCluster(*client, "pay");
  EXPECT_THAT(bob.Next(), OfKind(Heard::kValue));
  const Heard why = bob.Next();
  EXPECT_EQ(why.kind, Heard::kAmbientError);
  EXPECT_EQ(why.cause(), Cause::kDeleted);
  EXPECT_THAT(why.text(), HasSubstr("keeping version 1"));
}

}  // namespace
}  // namespace holdfast
