#include "control/source/memory_source.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr absl::string_view kCluster = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const char kClusterName[] = "envoy.config.cluster.v3.Cluster";

OpaqueResource Cluster(absl::string_view name, absl::string_view body = "v1") {
  return {std::string(kCluster), std::string(name), std::string(body), std::nullopt};
}

Transaction Putting(OpaqueResource resource) {
  Transaction change;
  change.Put(std::move(resource));
  return change;
}

// A source that was started, all it published, and the view that this makes.
class Memory {
 public:
  Memory() {
    source.Start([this](Published published) {
      view = NextView(*view, published.contents);
      all.push_back(std::move(published));
    });
  }
  const Contents& newest() const { return all.back().contents; }
  const TypeView& clusters() const { return *view->Of(kClusterName); }
  // "pay=v1" for each.
  std::vector<std::string> Served() const {
    std::vector<std::string> texts;
    for (const ResourcePtr& resource : clusters().resources()) {
      texts.push_back(absl::StrCat(resource->name(), "=", resource->body()));
    }
    return texts;
  }

  MemorySource source;
  ViewPtr view = std::make_shared<const View>();
  std::vector<Published> all;
};

TEST(MemorySource, IsNotSyncedUntilTheFirstCommitSaysWhatThereIs) {
  Memory memory;
  ASSERT_EQ(memory.all.size(), 1u);
  EXPECT_FALSE(memory.newest().is_synced);
  EXPECT_EQ(memory.source.Commit(Transaction()).value(), CommitId{1});
  EXPECT_TRUE(memory.newest().is_synced);
  EXPECT_THAT(memory.Served(), IsEmpty());
}

TEST(MemorySource, PublishesWhatWasCommittedBeforeTheStart) {
  MemorySource source;
  ASSERT_TRUE(source.Commit(Putting(Cluster("pay"))).ok());
  std::vector<Published> all;
  source.Start([&](Published published) { all.push_back(std::move(published)); });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].contents.is_synced);
  EXPECT_EQ(all[0].contents.resources.size(), 1u);
}

TEST(MemorySource, ACommitTakesEffectAsAWhole) {
  Memory memory;
  Transaction first;
  first.Put(Cluster("pay"));
  first.Put(Cluster("web"));
  first.SetError(kCluster, "billing", absl::PermissionDeniedError("ask #payments"));
  ASSERT_TRUE(memory.source.Commit(std::move(first)).ok());
  EXPECT_THAT(memory.Served(), ElementsAre("pay=v1", "web=v1"));
  EXPECT_THAT(memory.clusters().errors(),
              ElementsAre(NamedError{"billing", NameError{7, "ask #payments"}}));

  Transaction second;
  second.Put(Cluster("pay", "v2"));
  second.Delete(kClusterName, "web");  // without the prefix: the same type
  second.ClearError(kCluster, "billing");
  ASSERT_EQ(memory.source.Commit(std::move(second)).value(), CommitId{2});
  EXPECT_THAT(memory.Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(memory.clusters().errors(), IsEmpty());
  EXPECT_EQ(memory.all.size(), 3u);
}

TEST(MemorySource, TheLastChangeOfANameCounts) {
  Memory memory;
  Transaction change;
  change.Put(Cluster("pay", "v1"));
  change.Delete(kCluster, "pay");
  change.Put(Cluster("pay", "v2"));
  change.SetError(kCluster, "web", absl::NotFoundError("moved"));
  change.ClearError(kCluster, "web");
  ASSERT_TRUE(memory.source.Commit(std::move(change)).ok());
  EXPECT_THAT(memory.Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(memory.clusters().errors(), IsEmpty());
}

TEST(MemorySource, OneChangeAmongManySpeaksOfThatName) {
  Memory memory;
  constexpr size_t kMany = 10'000;
  Transaction all;
  for (size_t i = 0; i < kMany; ++i) all.Put(Cluster(absl::StrCat("c", i)));
  all.SetError(kCluster, "c9", absl::InternalError("kept back"));
  ASSERT_TRUE(memory.source.Commit(std::move(all)).ok());
  const ViewPtr before = memory.view;

  Transaction some;
  some.Put(Cluster("c7", "v2"));
  some.Put(Cluster("c8", "v1"));  // says what was said before
  some.Delete(kCluster, "c9");    // and its error shows
  ASSERT_TRUE(memory.source.Commit(std::move(some)).ok());
  EXPECT_EQ(
      memory.newest().only,
      (std::set<ResourceKey>{{kClusterName, "c7"}, {kClusterName, "c8"}, {kClusterName, "c9"}}));
  EXPECT_EQ(memory.newest().resources.size(), 2u);
  EXPECT_EQ(memory.clusters().resources().size(), kMany - 1);
  EXPECT_EQ(ChangesBetween(*before, *memory.view), (Changes{{kClusterName, {"c7", "c9"}}}));
  EXPECT_EQ(*memory.clusters().Find("c8"), *before->Of(kClusterName)->Find("c8"));
  EXPECT_THAT(memory.clusters().errors(),
              ElementsAre(NamedError{"c9", NameError{13, "kept back"}}));
}

TEST(MemorySource, NamesThatAreEqualAreOne) {  // R1.91
  Memory memory;
  const std::string name = absl::StrCat("xdstp://x/", kClusterName, "/pay");
  Transaction change;
  change.Put(Cluster(name + "?a=1&b=2", "v1"));
  change.Put(Cluster(name + "?b=2&a=1", "v2"));
  ASSERT_TRUE(memory.source.Commit(std::move(change)).ok());
  EXPECT_THAT(memory.Served(), ElementsAre(name + "?a=1&b=2=v2"));
  Transaction gone;
  gone.Delete(kCluster, name + "?b=2&a=1");
  ASSERT_TRUE(memory.source.Commit(std::move(gone)).ok());
  EXPECT_THAT(memory.Served(), IsEmpty());
}

TEST(MemorySource, ATtlIsPartOfTheResource) {
  Memory memory;
  OpaqueResource resource = Cluster("pay");
  resource.ttl = std::chrono::milliseconds(1500);
  ASSERT_TRUE(memory.source.Commit(Putting(resource)).ok());
  EXPECT_EQ(memory.newest().resources.at(0)->ttl(), absl::Milliseconds(1500));
}

TEST(MemorySource, AnExpectedCommitMustBeTheNewest) {
  Memory memory;
  EXPECT_EQ(memory.source.Commit(Putting(Cluster("pay")), CommitId{0}).value(), CommitId{1});
  EXPECT_EQ(memory.source.Commit(Putting(Cluster("pay", "v2")), CommitId{1}).value(), CommitId{2});
  const absl::Status status =
      memory.source.Commit(Putting(Cluster("pay", "v3")), CommitId{1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(status.message()),
              StartsWith("commit 1 was expected to be the newest, but 2 is; nothing has changed"));
  EXPECT_THAT(memory.Served(), ElementsAre("pay=v2"));
  EXPECT_EQ(memory.all.size(), 3u);
}

struct Refused {
  const char* what;
  Transaction change;
  const char* text;
};

std::vector<Refused> RefusedChanges() {
  std::vector<Refused> rows;
  const auto put = [&](const char* what, OpaqueResource resource, const char* text) {
    rows.push_back({what, Putting(std::move(resource)), text});
  };
  const auto error = [&](const char* what, absl::string_view name, absl::Status status,
                         const char* text) {
    Transaction change;
    change.SetError(kCluster, name, std::move(status));
    rows.push_back({what, std::move(change), text});
  };
  put("NoType", {"type.googleapis.com/", "pay", "", {}}, "the type is empty");
  put("NoName", Cluster(""), "the name is empty");
  put("Wildcard", Cluster("*"), "\"*\" is the wildcard and names no resource");
  put("NotUtf8", Cluster("\xff"), "the name is not UTF-8");
  put("BadXdstp", Cluster("xdstp://a/wrong.Type/pay"), "xdstp");
  OpaqueResource expired = Cluster("pay");
  expired.ttl = std::chrono::milliseconds(0);
  put("NoTime", expired, "a TTL is longer than nothing (got 0 ms)");
  error("ErrorOk", "pay", absl::OkStatus(), "OK is no error; ClearError() takes one back");
  error("ErrorOfNobody", "", absl::NotFoundError(""), "the name is empty");
  error("ErrorOfAll", "*", absl::NotFoundError(""), "\"*\" is the wildcard");
  error("ErrorBadXdstp", "xdstp:", absl::NotFoundError(""), "xdstp");
  error("ErrorNotUtf8", "pay", absl::NotFoundError("\xff"), "the text of the error is not UTF-8");
  return rows;
}

TEST(MemorySource, RefusesWhatNobodyCouldBeSentAndChangesNothing) {
  for (const Refused& row : RefusedChanges()) {
    SCOPED_TRACE(row.what);
    Memory memory;
    Transaction change = row.change;
    change.Put(Cluster("good"));
    const absl::Status status = memory.source.Commit(std::move(change)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.text));
    EXPECT_THAT(std::string(status.message()), HasSubstr("the commit has changed nothing"));
    EXPECT_EQ(memory.all.size(), 1u);
    EXPECT_THAT(memory.Served(), IsEmpty());
  }
}

TEST(MemorySource, CommitsOfManyThreadsArePublishedOneAfterAnother) {
  MemorySource source;
  std::atomic<int> inside = 0;
  size_t published = 0;
  bool grows = true;
  size_t newest = 0;
  ViewPtr view = std::make_shared<const View>();
  source.Start([&](Published now) {
    grows = grows && ++inside == 1;
    view = NextView(*view, std::move(now.contents));
    const size_t served = view->Of(kClusterName)->resources().size();
    grows = grows && served >= newest;
    newest = served;
    ++published;
    --inside;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&source, i] {
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(source.Commit(Putting(Cluster(absl::StrCat(i, "-", j)))).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  source.Stop();
  EXPECT_TRUE(grows);
  EXPECT_EQ(published, 201u);
  EXPECT_EQ(newest, 200u);
  EXPECT_EQ(source.Commit(Transaction()).value(), CommitId{201});
  EXPECT_EQ(published, 201u);
}

}  // namespace
}  // namespace holdfast
