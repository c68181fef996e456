// A change of one endpoint costs what it costs, however many others there are: counted in bytes
// that are asked of the heap, because lists that are made anew are made there.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/lb/lb_conversation_test.h"

namespace {

int64_t bytes_asked_for = 0;

}  // namespace

// The whole program counts; the tests here look. Not inlined, or the compiler sees a new that is
// freed.
[[gnu::noinline]] void* operator new(size_t size) {
  bytes_asked_for += static_cast<int64_t>(size);
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace holdfast {
namespace {

constexpr int kFew = 100;
constexpr int kMany = 10'000;
// The logarithm has grown, and no more than that.
constexpr int64_t kGrowth = 3;

enum class Shape { kOneLocality, kALocalityEach };

// `number` is another one for other addresses.
LbLeaf PayWith(int endpoints, Shape shape, int number = 0) {
  std::vector<LocalityEndpoints> localities;
  for (int i = 0; i < endpoints; ++i) {
    const bool is_first = i == 0 || shape == Shape::kALocalityEach;
    if (is_first) localities.push_back(In(absl::StrCat("r", i), 1, {}));
    localities.back().endpoints.push_back(
        At(absl::StrCat("10.", number, ".", i / 250, ".", i % 250 + 1)));
  }
  const bool is_by_locality = shape == Shape::kALocalityEach;
  return Pay({std::move(localities)}, is_by_locality ? ByLocality(kRoundRobin) : kRoundRobin);
}

// A tree whose subchannels have the numbers 1 to `size`.
struct Cluster {
  Cluster(int endpoints, Shape its_shape)
      : size(endpoints), shape(its_shape), leaf(PayWith(endpoints, its_shape)), tree(Options()) {
    tree.Handle({}, LbConfigChanged{{leaf}});
  }
  static LbTreeOptions Options() {
    LbTreeOptions options;
    options.make_turns = [] { return std::make_shared<CountedTurns>(); };
    options.find_policy = [](absl::string_view) { return nullptr; };
    return options;
  }

  // One after another.
  void TellAll(Connectivity state, int first = 1) {
    const bool has_failed = state == Connectivity::kTransientFailure;
    const absl::Status failure = has_failed ? absl::UnavailableError(why) : absl::OkStatus();
    for (int i = first; i < first + size; ++i) {
      tree.Handle({},
                  SubchannelStateChanged{SubchannelId(static_cast<uint64_t>(i)), state, failure});
    }
  }
  // Bytes an event.
  int64_t CostOfEach(Connectivity state, int first = 1) {
    const int64_t before = bytes_asked_for;
    TellAll(state, first);
    return (bytes_asked_for - before) / size;
  }
  int64_t CostOfANote() {
    leaf.note = "xds server \"cp:18000\" cannot be reached";
    const LbConfigChanged event{{leaf}};
    const int64_t before = bytes_asked_for;
    tree.Handle({}, event);
    return bytes_asked_for - before;
  }

  const int size;
  const Shape shape;
  LbLeaf leaf;
  LbTree tree;
  std::string why = "refused";  // things fail
};

void ExpectToGrowSlowly(Shape shape, const std::function<int64_t(Cluster&)>& cost) {
  Cluster few(kFew, shape);
  Cluster many(kMany, shape);
  const int64_t of_few = cost(few);
  EXPECT_LE(cost(many), of_few * kGrowth) << "bytes, and for a few " << of_few;
}

class LbScale : public testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(, LbScale, testing::Values(Shape::kOneLocality, Shape::kALocalityEach),
                         [](const auto& row) {
                           return row.param == Shape::kOneLocality ? "OneLocality"
                                                                   : "ALocalityEach";
                         });

TEST_P(LbScale, ConnectingOneAfterAnother) {
  ExpectToGrowSlowly(GetParam(),
                     [](Cluster& cluster) { return cluster.CostOfEach(Connectivity::kReady); });
}

TEST_P(LbScale, BreakingOneAfterAnother) {
  ExpectToGrowSlowly(GetParam(), [](Cluster& cluster) {
    cluster.TellAll(Connectivity::kReady);
    return cluster.CostOfEach(Connectivity::kIdle);
  });
}

TEST_P(LbScale, FailingOneAfterAnother) {
  ExpectToGrowSlowly(GetParam(), [](Cluster& cluster) {
    return cluster.CostOfEach(Connectivity::kTransientFailure);
  });
}

// What is published says what is new, and nobody reads all the rest.
TEST_P(LbScale, FailingAgainInAnotherWay) {
  ExpectToGrowSlowly(GetParam(), [](Cluster& cluster) {
    cluster.TellAll(Connectivity::kTransientFailure);
    cluster.why = "timed out";
    return cluster.CostOfEach(Connectivity::kTransientFailure);
  });
}

// The old connections serve meanwhile.
TEST_P(LbScale, FailingInThePlaceOfOthers) {
  ExpectToGrowSlowly(GetParam(), [](Cluster& cluster) {
    cluster.TellAll(Connectivity::kReady);
    const LbLeaf others = PayWith(cluster.size, cluster.shape, /*number=*/1);
    cluster.tree.Handle({}, LbConfigChanged{{others}});
    return cluster.CostOfEach(Connectivity::kTransientFailure, cluster.size + 1);
  });
}

// At most the text of a failure is made anew: how many endpoints there are does not matter.
TEST(LbScaleOfANote, WhileAllIsWell) {
  ExpectToGrowSlowly(Shape::kOneLocality, [](Cluster& cluster) {
    cluster.TellAll(Connectivity::kReady);
    return cluster.CostOfANote();
  });
}

TEST(LbScaleOfANote, WhileAllFail) {
  ExpectToGrowSlowly(Shape::kOneLocality, [](Cluster& cluster) {
    cluster.TellAll(Connectivity::kTransientFailure);
    return cluster.CostOfANote();
  });
}

}  // namespace
}  // namespace holdfast
