// One story from one seed: watchers come and go, a server tells the truth or does not, a network
// loses what it likes, and after every single event the protocol must have kept its promises.
//
//   Simulation simulation(seed, mode);
//   simulation.Run();
//   EXPECT_TRUE(simulation.findings().ok()) << simulation.findings().first();
//
// A story has rounds. In each, first everything goes wrong that can; then the faults stop, the
// server is correct, and everybody must end up knowing what is true, and nothing more may happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "client/protocol/protocol.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/expected_cache.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/mode.h"
#include "tests/simulation/network.h"
#include "tests/simulation/request_rules.h"
#include "tests/simulation/server_model.h"
#include "tests/simulation/timer_rules.h"
#include "tests/simulation/watchers.h"

namespace holdfast {

struct PastEvent {
  absl::Time when;
  Event event;
};

class Simulation {
 public:
  static constexpr size_t kNever = SIZE_MAX;

  struct Options {
    // Tell the story in words, from this event on.
    size_t told_from = kNever;
    // Keep the events themselves, to play them again.
    bool keep_events = false;
  };

  Simulation(uint64_t seed, const Mode& mode) : Simulation(seed, mode, Options()) {}
  Simulation(uint64_t seed, const Mode& mode, Options options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void Run();

  const Findings& findings() const { return findings_; }
  size_t events() const { return events_; }
  // As the Options asked for it.
  const std::vector<std::string>& story() const { return story_; }
  std::vector<PastEvent> TakeEvents() { return std::move(past_); }

  static ProtocolOptions OptionsOf(uint64_t seed, const Mode& mode);

 private:
  // How much goes wrong, one in so many chances; 0: never. Different in each story.
  struct Weather {
    explicit Weather(Chance& chance);
    int types;  // in use
    int names;
    int lost_stream;
    int nonsense;
    int late_news;
    int slow_watchers;
  };

  // What happens next (simulation.cc).
  void Storm(int steps);
  void StormStep();
  void Calm();
  void EverybodyLeaves();
  // One message, or its receipt, moves on. False: there is none.
  bool PassMessages(int slow_watchers);
  void StartWatch();
  void CancelWatch(size_t index);
  void FireNextTimer();
  void FireDeadTimer();
  void TimePasses();
  void CheckTruthIsKnown();
  void CheckKnows(const WatcherRecord& watcher, const Truth& truth);

  // One event and all that follows from it (simulation_step.cc).
  void Tell(const Event& event);
  // News that must change nothing.
  void TellStale(const Event& event);
  void Foresee(const Event& event);
  void StreamEnded();
  void Do(const Effect& effect);
  void Hindsight(const Event& event);
  void CheckCalls(const Event& event);
  void CheckReads(const Event& event);
  void CheckStreamAndTimers();
  void CheckSnapshotNowAndThen();
  void Record(const Event& event, const Effects& effects);

  const Mode mode_;
  const Options options_;
  const ProtocolOptions protocol_options_;
  Findings findings_;
  Chance chance_;
  const Weather weather_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);

  ServerModel server_;
  Network network_;
  Watchers watchers_;
  ExpectedCache cache_;
  RequestRules requests_;
  TimerRules timers_;
  Protocol protocol_;

  uint64_t last_watch_ = 0;
  bool has_seen_response_ = false;  // on the living stream
  bool has_ordered_read_ = false;   // in this step, as are the next three
  bool has_opened_stream_ = false;
  int failures_counted_ = 0;
  TimerRules::Kind fired_ = TimerRules::Kind::kHold;
  size_t events_ = 0;
  std::vector<std::string> story_;
  std::vector<PastEvent> past_;
};

}  // namespace holdfast
