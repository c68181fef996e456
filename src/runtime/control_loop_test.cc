#include "runtime/control_loop.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;

constexpr std::chrono::seconds kPatience{10};

// Runs `work` on the loop and returns what it returns.
template <class Work>
auto OnLoop(ControlLoop& loop, Work work) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  loop.Post([&task] { task(); });
  return result.get();
}

// What happened, in order, and that enough of it happened.
class Story {
 public:
  void Add(std::string line) {
    std::lock_guard<std::mutex> lock(mutex_);
    lines_.push_back(std::move(line));
  }
  void End() { end_.set_value(); }
  std::vector<std::string> Wait() {
    EXPECT_EQ(end_.get_future().wait_for(kPatience), std::future_status::ready);
    std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::promise<void> end_;
};

// An operation of gRPC that completes at once, and then does `work`.
class ExpiredAlarm final : public Completion {
 public:
  ExpiredAlarm(ControlLoop& loop, std::function<void()> work) : work_(std::move(work)) {
    alarm_.Set(loop.queue(), gpr_inf_past(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
  }
  void Done(bool ok) override {
    EXPECT_TRUE(ok);
    work_();
  }

 private:
  grpc::Alarm alarm_;
  std::function<void()> work_;
};

TEST(ControlLoop, RunsTasksInTheOrderTheyWerePosted) {
  ControlLoop loop;
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i) loop.Post([&seen, i] { seen.push_back(i); });
  EXPECT_EQ(OnLoop(loop, [&seen] { return seen.size(); }), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(ControlLoop, KeepsTheOrderOfEachOfManyPosters) {
  ControlLoop loop;
  constexpr int kThreads = 4;
  constexpr int kTasks = 2000;
  std::vector<int> last(kThreads, -1);
  bool is_in_order = true;
  std::vector<std::thread> posters;
  for (int poster = 0; poster < kThreads; ++poster) {
    posters.emplace_back([&, poster] {
      for (int i = 0; i < kTasks; ++i) {
        loop.Post([&, poster, i] {
          int& before = last[static_cast<size_t>(poster)];
          is_in_order = is_in_order && before == i - 1;
          before = i;
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  EXPECT_TRUE(OnLoop(loop, [&] { return is_in_order; }));
  EXPECT_THAT(last, testing::Each(kTasks - 1));
}

// Each answer finds the loop asleep: every Post must wake it, and no wake-up may get lost.
TEST(ControlLoop, WakesForEveryPostWhenIdle) {
  ControlLoop loop;
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(OnLoop(loop, [i] { return i; }), i);
}

TEST(ControlLoop, KnowsItsThread) {
  ControlLoop loop;
  ControlLoop other;
  EXPECT_FALSE(loop.IsLoopThread());
  EXPECT_TRUE(OnLoop(loop, [&] { return loop.IsLoopThread(); }));
  EXPECT_FALSE(OnLoop(loop, [&] { return other.IsLoopThread(); }));
}

TEST(ControlLoop, RunsATaskPostedByATaskAfterIt) {
  ControlLoop loop;
  Story story;
  loop.Post([&] {
    loop.Post([&] {
      story.Add("inner");
      story.End();
    });
    story.Add("outer");
  });
  EXPECT_THAT(story.Wait(), ElementsAre("outer", "inner"));
}

TEST(ControlLoop, DropsWhatATaskHoldsBeforeTheNextOneRuns) {
  ControlLoop loop;
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  loop.Post([held = std::move(held)] {});
  EXPECT_TRUE(OnLoop(loop, [&watch] { return watch.expired(); }));
}

TEST(ControlLoop, FiresTimersByDeadlineAndThenByAge) {
  ControlLoop loop;
  Story story;
  loop.Post([&] {
    loop.StartTimer(absl::Milliseconds(20), [&] {
      story.Add("late");
      story.End();
    });
    loop.StartTimer(absl::Milliseconds(5), [&] { story.Add("early"); });
    loop.StartTimer(absl::ZeroDuration(), [&] { story.Add("now"); });
    loop.StartTimer(-absl::Seconds(1), [&] { story.Add("overdue counts as now"); });
  });
  EXPECT_THAT(story.Wait(), ElementsAre("now", "overdue counts as now", "early", "late"));
}

TEST(ControlLoop, FiresATimerNotBeforeItsTime) {
  ControlLoop loop;
  Story story;
  const absl::Time start = absl::Now();
  absl::Duration waited;
  loop.Post([&] {
    loop.StartTimer(absl::Milliseconds(30), [&] {
      waited = absl::Now() - start;
      story.End();
    });
  });
  story.Wait();
  EXPECT_GE(waited, absl::Milliseconds(30));
}

TEST(ControlLoop, DoesNotFireACancelledTimer) {
  ControlLoop loop;
  Story story;
  loop.Post([&] {
    const auto doomed = loop.StartTimer(absl::Milliseconds(1), [&] { story.Add("doomed"); });
    const auto later = loop.StartTimer(absl::Milliseconds(2), [&] { story.Add("later"); });
    loop.CancelTimer(doomed);
    loop.CancelTimer(doomed);                      // again
    loop.CancelTimer(ControlLoop::LoopTimerId());  // none at all
    // Both are due when this one runs, or not; it cancels the other before its turn.
    loop.StartTimer(absl::ZeroDuration(), [&, later] { loop.CancelTimer(later); });
    loop.StartTimer(absl::Milliseconds(10), [&] { story.End(); });
  });
  EXPECT_THAT(story.Wait(), ElementsAre());
}

TEST(ControlLoop, LetsATimerCancelItselfWhileItRuns) {
  ControlLoop loop;
  Story story;
  ControlLoop::LoopTimerId self;
  loop.Post([&] {
    self = loop.StartTimer(absl::ZeroDuration(), [&] {
      loop.CancelTimer(self);
      story.End();
    });
  });
  story.Wait();
}

TEST(ControlLoop, TakesATimerThatNeverFires) {
  ControlLoop loop;
  OnLoop(loop, [&] { return loop.StartTimer(absl::InfiniteDuration(), [] { FAIL(); }); });
  EXPECT_EQ(OnLoop(loop, [] { return 1; }), 1);
}

// A task, a timer and a completion that each start themselves again, all at once.
TEST(ControlLoop, LetsNoKindOfWorkStarveAnother) {
  ControlLoop loop;
  constexpr int kEnough = 100;
  int tasks = 0;
  int timers = 0;
  int completions = 0;
  bool is_over = false;
  std::vector<std::unique_ptr<ExpiredAlarm>> alarms;
  std::promise<void> end;
  const auto check = [&] {
    if (is_over || std::min({tasks, timers, completions}) < kEnough) return;
    is_over = true;
    end.set_value();
  };
  const std::function<void()> task = [&] {
    ++tasks;
    check();
    if (!is_over) loop.Post(task);
  };
  const std::function<void()> timer = [&] {
    ++timers;
    check();
    if (!is_over) loop.StartTimer(absl::ZeroDuration(), timer);
  };
  const std::function<void()> completion = [&] {
    ++completions;
    check();
    if (!is_over) alarms.push_back(std::make_unique<ExpiredAlarm>(loop, completion));
  };
  loop.Post([&] {
    task();
    timer();
    completion();
  });
  ASSERT_EQ(end.get_future().wait_for(kPatience), std::future_status::ready);
  OnLoop(loop, [&] {
    alarms.clear();
    return true;
  });
}

TEST(ControlLoop, DropsWhatIsPostedAfterItStopped) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  struct PostsAtTheEnd {
    ControlLoop* loop;
    std::shared_ptr<int> held;
    ~PostsAtTheEnd() {
      loop->Post([kept = held] { FAIL() << "ran after the loop stopped"; });
    }
  };
  {
    ControlLoop loop;
    auto posts = std::make_shared<PostsAtTheEnd>();
    posts->loop = &loop;
    posts->held = std::move(held);
    // Dropped with the timer, when the loop has stopped.
    OnLoop(loop, [&loop, posts = std::move(posts)] {
      return loop.StartTimer(absl::Hours(1), [posts] {});
    });
  }
  EXPECT_TRUE(watch.expired());
}

TEST(ControlLoop, TellsThoseWhoWaitThatItStopped) {
  struct Listener final : StopListener {
    void OnStopped() override { ++told; }
    int told = 0;
  };
  const auto stays = std::make_shared<Listener>();
  {
    ControlLoop loop;
    loop.TellWhenStopped(stays);
    for (int i = 0; i < 100; ++i) loop.TellWhenStopped(std::make_shared<Listener>());
    EXPECT_EQ(stays->told, 0);
  }
  EXPECT_EQ(stays->told, 1);
}

TEST(ControlLoop, CompletesPendingOperationsBeforeItIsGone) {
  bool is_done = false;
  bool was_on_loop = false;
  std::unique_ptr<ExpiredAlarm> alarm;
  {
    ControlLoop loop;
    std::promise<void> started;
    loop.Post([&] {
      alarm = std::make_unique<ExpiredAlarm>(loop, [&] {
        is_done = true;
        was_on_loop = loop.IsLoopThread();
      });
      started.set_value();
    });
    started.get_future().wait();
  }
  EXPECT_TRUE(is_done);
  EXPECT_TRUE(was_on_loop);
}

TEST(ControlLoop, ComesAndGoesWhileOthersPost) {
  for (int round = 0; round < 50; ++round) {
    auto loop = std::make_unique<ControlLoop>();
    std::thread poster([&loop] {
      for (int i = 0; i < 20; ++i) loop->Post([] {});
    });
    poster.join();
    loop.reset();
  }
}

// The process ends while the loop is busy: nothing may run while it takes itself apart.
struct MustNotBeUsedWhenGone {
  std::vector<int> values = std::vector<int>(1000);
  ~MustNotBeUsedWhenGone() { values.clear(); }
};

void ExitWhileTheLoopIsBusy() {
  // Older than the loop's exit handler, so that they outlive it.
  static MustNotBeUsedWhenGone gone;
  static std::function<void()> work;
  static std::promise<void> busy;
  ControlLoop& loop = ControlLoop::Shared();
  work = [&loop] {
    for (int& value : gone.values) ++value;
    loop.Post(work);
  };
  loop.Post([] { busy.set_value(); });
  loop.Post(work);
  busy.get_future().wait();
  std::exit(7);
}

void ExitOnTheLoopThread() {
  ControlLoop::Shared().Post([] { std::exit(8); });
  for (;;) pause();
}

// A daemon that forks after its first use, or a child that only exits.
void ExitInAFork() {
  OnLoop(ControlLoop::Shared(), [] { return 1; });
  const pid_t child = fork();
  if (child == 0) std::exit(9);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::exit(1);
  std::exit(WEXITSTATUS(status));
}

// In a process of their own: what they end is the process.
class SharedControlLoopDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SharedControlLoopDeathTest, StopsBeforeTheProcessIsTakenApart) {
  EXPECT_EXIT(ExitWhileTheLoopIsBusy(), ExitedWithCode(7), "");
}

TEST_F(SharedControlLoopDeathTest, LetsItsOwnThreadExit) {
  EXPECT_EXIT(ExitOnTheLoopThread(), ExitedWithCode(8), "");
}

TEST_F(SharedControlLoopDeathTest, DoesNotHoldUpAFork) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "to the leak checker, what the threads held that a fork does not have is lost";
#endif
  EXPECT_EXIT(ExitInAFork(), ExitedWithCode(9), "");
}

TEST_F(SharedControlLoopDeathTest, RefusesTimersFromOtherThreads) {
  EXPECT_DEATH(ControlLoop::Shared().StartTimer(absl::Seconds(1), [] {}),
               "check failed: IsLoopThread\\(\\)");
}

// While calls are made the loop stays out of its queue most of the time, and still does everything.
TEST(ControlLoopDuringCalls, RunsTasksTimersAndCompletions) {
  ControlLoop loop;
  Story story;
  class Rung final : public Completion {
   public:
    explicit Rung(Story& story) : story_(story) {}
    void Done(bool) override {
      story_.Add("completion");
      story_.End();
    }

   private:
    Story& story_;
  } rung(story);
  grpc::Alarm alarm;
  loop.NoteCall();
  OnLoop(loop, [&] {
    loop.StartTimer(absl::Milliseconds(1), [&] {
      story.Add("timer");
      loop.NoteCall();
      alarm.Set(loop.queue(), gpr_inf_past(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(&rung));
    });
  });
  EXPECT_THAT(story.Wait(), ElementsAre("timer", "completion"));
}

TEST(ControlLoopDuringCalls, TakesWhatOthersPostAtOnce) {
  ControlLoop loop;
  // Each of them finds the loop away from its queue, or about to be.
  for (int i = 0; i < 100; ++i) {
    loop.NoteCall();
    EXPECT_EQ(OnLoop(loop, [i] { return i; }), i);
  }
}

TEST(ControlLoopDuringCalls, ComesBackForThoseWhoWait) {
  ControlLoop loop;
  for (int i = 0; i < 20; ++i) {
    loop.NoteCall();
    loop.WaitBegan();
    EXPECT_EQ(OnLoop(loop, [i] { return i; }), i);
    loop.WaitEnded();
  }
}

TEST(ControlLoopDuringCalls, EndsLikeAnyOther) {
  ControlLoop loop;
  loop.NoteCall();
  loop.WaitBegan();
  loop.WaitEnded();
}

}  // namespace
}  // namespace holdfast
