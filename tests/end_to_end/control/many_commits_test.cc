// Commits that come faster than clients read: what counts is the newest, and what lies between is
// neither sent nor kept.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/end_to_end/control/control_under_test.h"
#include "tests/support/ads_test_client.h"

namespace holdfast {
namespace {

constexpr int kCommits = 1000;

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  EXPECT_GT(resident, 0);
  return resident * sysconf(_SC_PAGESIZE);
}

// Of 1,000 commits of 1 MB each. What a connection may hold back is far less, and so is what an
// allocator may lose between the pieces; sanitizers keep what was freed for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int64_t kMostGrowth = int64_t{512} << 20;
#else
constexpr int64_t kMostGrowth = int64_t{32} << 20;
#endif

void CommitMegabyte(ControlUnderTest& control, int revision) {
  constexpr int kResources = 16;
  Transaction change;
  for (int i = 0; i < kResources; ++i) {
    std::string content(size_t{1 << 20} / kResources, 'x');
    content += absl::StrCat(revision);
    change.Put(Named(kClusterTypeName, absl::StrCat("c", i), content));
  }
  control.Commit(std::move(change));
}

TEST(ManyCommits, AStreamThatNeverReadsKeepsNoneOfThem) {
  ControlUnderTest control;
  CommitMegabyte(control, 0);
  AdsTestClient client(control.address());
  const auto sotw = client.OpenSotw();
  const auto delta = client.OpenDelta();
  sotw->Ask(kClusterTypeName, {});
  delta->Ask(kClusterTypeName, {});
  // Until everybody has what it needs: streams, buffers, the caches of the allocator. A few commits
  // are not enough: they are all in the first window that merges them.
  int revision = 0;
  while (revision < kCommits) CommitMegabyte(control, ++revision);
  const int64_t before = ResidentBytes();
  while (revision < 2 * kCommits) CommitMegabyte(control, ++revision);
  EXPECT_LE(ResidentBytes() - before, kMostGrowth);
  // They are served still: what comes last is the newest.
  const std::string newest =
      NamedBody("c0", std::string(size_t{1 << 20} / 16, 'x') + absl::StrCat(revision));
  for (const auto& stream : {sotw.get(), delta.get()}) {
    stream->NextWhere([&](const AdsAnswer& answer) { return answer.resources.at("c0") == newest; });
  }
}

class ManyCommitsTo : public testing::TestWithParam<Variant> {};

TEST_P(ManyCommitsTo, AClientThatReadsAreMerged) {
  ControlUnderTest control;
  control.Put(kClusterTypeName, "pay", "v0");
  AdsTestClient client(control.address());
  const auto stream = GetParam() == Variant::kSotw ? client.OpenSotw() : client.OpenDelta();
  stream->Ask(kClusterTypeName, {"pay"});
  stream->Ack(stream->Next());

  const absl::Time start = absl::Now();
  std::thread committer([&] {
    for (int i = 1; i <= kCommits; ++i) {
      absl::SleepFor(start + i * absl::Milliseconds(1) - absl::Now());
      control.Put(kClusterTypeName, "pay", absl::StrCat("v", i));
    }
  });
  int responses = 0;
  stream->NextWhere([&](const AdsAnswer& answer) {
    ++responses;
    stream->Ack(answer);
    return answer.resources.at("pay") == NamedBody("pay", absl::StrCat("v", kCommits));
  });
  const absl::Duration took = absl::Now() - start;
  committer.join();
  // One at once, and after that one in each merge window of 100 ms.
  EXPECT_LE(responses, 2 + took / absl::Milliseconds(100));
  EXPECT_LT(responses, kCommits / 4);
}

INSTANTIATE_TEST_SUITE_P(Variants, ManyCommitsTo, testing::Values(Variant::kSotw, Variant::kDelta),
                         [](const auto& row) {
                           return row.param == Variant::kSotw ? "Sotw" : "Delta";
                         });

}  // namespace
}  // namespace holdfast
