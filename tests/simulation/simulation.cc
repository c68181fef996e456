#include "tests/simulation/simulation.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/error_detail.h"

namespace holdfast {
namespace {

constexpr int kRounds = 3;
constexpr int kStormSteps = 120;
constexpr size_t kMostWatchers = 12;
// A calm that lasts longer is a loop.
constexpr int kMostCalmSteps = 1000;
constexpr absl::Duration kLongestCalm = absl::Minutes(10);

template <size_t count>
int OneOf(Chance& chance, const int (&choices)[count]) {
  return choices[chance.Below(static_cast<int>(count))];
}

}  // namespace

Simulation::Weather::Weather(Chance& chance)
    : types(1 + chance.Below(kTypes)),
      names(1 + chance.Below(kNames)),
      lost_stream(OneOf(chance, {0, 15, 50, 200})),
      nonsense(OneOf(chance, {0, 0, 8, 30})),
      late_news(OneOf(chance, {0, 15})),
      slow_watchers(OneOf(chance, {0, 2, 6})) {}

Simulation::Simulation(uint64_t seed, const Mode& mode, Options options)
    : mode_(mode),
      options_(options),
      protocol_options_(OptionsOf(seed, mode)),
      chance_(seed),
      weather_(chance_),
      server_(chance_),
      network_(chance_, server_, findings_),
      watchers_(mode_, findings_),
      cache_(mode_, watchers_, findings_),
      requests_(protocol_options_.node, watchers_, findings_),
      timers_(mode_, watchers_, cache_, requests_, findings_),
      protocol_(protocol_options_) {}

ProtocolOptions Simulation::OptionsOf(uint64_t seed, const Mode& mode) {
  ProtocolOptions options;
  options.server_uri = "cp";
  options.node.id = "web-1";
  options.data_error_handling = mode.data_error_handling;
  options.features.fail_on_data_errors = mode.fail_on_data_errors;
  options.features.resource_timer_is_transient_error = mode.resource_timer_is_transient_error;
  options.features.ignore_resource_deletion = mode.ignore_resource_deletion;
  options.seed = seed;
  return options;
}

void Simulation::Run() {
  for (int round = 0; round < kRounds && findings_.ok(); ++round) {
    Storm(kStormSteps);
    Calm();
    if (chance_.OneIn(2)) EverybodyLeaves();
  }
  EverybodyLeaves();
}

void Simulation::Storm(int steps) {
  for (int i = 0; i < steps && findings_.ok(); ++i) {
    TimePasses();
    StormStep();
  }
}

void Simulation::StormStep() {
  if (network_.is_open() && chance_.OneIn(weather_.lost_stream)) {
    return Tell(network_.LoseStream());
  }
  if (network_.is_open() && chance_.OneIn(weather_.nonsense)) network_.SendNonsense();
  if (chance_.OneIn(weather_.late_news)) {
    if (const std::optional<Event> late = network_.LateNews()) return TellStale(*late);
  }
  const int dice = chance_.Below(100);
  if (dice < 10 && watchers_.count() < kMostWatchers) {
    StartWatch();
  } else if (dice < 18 && watchers_.IsAnybodyThere()) {
    CancelWatch(static_cast<size_t>(chance_.Below(static_cast<int>(watchers_.count()))));
  } else if (dice < 24) {
    server_.ChangeTruth();
  } else if (dice < 28 && timers_.IsAnyRunning()) {
    FireNextTimer();
  } else if (dice < 30) {
    FireDeadTimer();
  } else if (dice < 32 && !network_.is_open()) {
    Tell(ChannelReady{});
  } else {
    PassMessages(weather_.slow_watchers);
  }
}

bool Simulation::PassMessages(int slow_watchers) {
  bool is_anything_left = false;
  for (int first = chance_.Below(5), i = 0; i < 5; ++i) {
    switch ((first + i) % 5) {
      case 0:
        if (!network_.is_request_in_flight()) break;
        Tell(network_.ReportSent());
        return true;
      case 1:
        if (!network_.is_request_on_its_way()) break;
        network_.DeliverRequest();
        return true;
      case 2:
        if (!network_.is_open() || !server_.HasNews()) break;
        network_.SendAnswer();
        return true;
      case 3:
        if (!network_.CanDeliver()) break;
        Tell(network_.DeliverResponse());
        return true;
      case 4:
        if (!network_.is_waiting_for_watchers()) break;
        is_anything_left = true;
        if (slow_watchers > 0 && !chance_.OneIn(slow_watchers)) break;
        Tell(network_.ReportWatchersFinished());
        return true;
    }
  }
  return is_anything_left;
}

void Simulation::StartWatch() {
  const WatchId id(++last_watch_);
  const ResourceKey key = {chance_.Below(weather_.types), chance_.Below(weather_.names)};
  const bool is_malformed = chance_.OneIn(50);
  cache_.WatcherCame(watchers_.Start(id, key, is_malformed));
  Tell(WatchStarted{id, &TypeAt(key.type),
                    std::string(is_malformed ? kMalformedName : NameAt(key.name))});
}

void Simulation::CancelWatch(size_t index) {
  const WatcherRecord gone = watchers_.at(index);
  watchers_.Cancel(index);
  if (!gone.is_malformed && !watchers_.IsWatched(gone.key)) {
    cache_.NobodyIsLeft(gone.key, requests_.IsOrdered(gone.key));
    if (!requests_.IsOrdered(gone.key)) timers_.MayForget(gone.key);
    requests_.MayForgetVersion(gone.key.type);
  }
  Tell(WatchCancelled{gone.id});
}

void Simulation::FireNextTimer() {
  const TimerRules::Timer timer = timers_.TakeNext();
  now_ = std::max(now_, timer.deadline);
  fired_ = timer.kind;
  Tell(TimerFired{timer.id});
}

void Simulation::FireDeadTimer() {
  if (const std::optional<TimerId> dead = timers_.AnyDead(chance_)) TellStale(TimerFired{*dead});
}

// Now and then nothing of it, so that things happen at once.
void Simulation::TimePasses() {
  if (!chance_.OneIn(3)) now_ += absl::Microseconds(1 << chance_.Below(18));
}

// The faults stop.
void Simulation::Calm() {
  server_.Repent();
  const absl::Time start = now_;
  for (int i = 0; findings_.ok(); ++i) {
    if (PassMessages(/*slow_watchers=*/0)) {
      TimePasses();
    } else if (timers_.IsAnyRunning()) {
      FireNextTimer();
    } else {
      break;
    }
    if (i == kMostCalmSteps || now_ > start + kLongestCalm) {
      findings_.Add("there are no faults any more, and it does not come to rest");
    }
  }
  if (!network_.IsQuiet()) findings_.Add("something is left that nobody reads");
  if (findings_.ok()) cache_.Check(protocol_.Snapshot());
  if (findings_.ok()) CheckTruthIsKnown();
}

void Simulation::EverybodyLeaves() {
  while (watchers_.IsAnybodyThere() && findings_.ok()) CancelWatch(watchers_.count() - 1);
}

void Simulation::CheckTruthIsKnown() {
  for (size_t i = 0; i < watchers_.count() && findings_.ok(); ++i) {
    const WatcherRecord& watcher = watchers_.at(i);
    if (!watcher.is_malformed) CheckKnows(watcher, server_.truth(watcher.key));
  }
}

void Simulation::CheckKnows(const WatcherRecord& watcher, const Truth& truth) {
  const bool has_value = watcher.content != kNoContent;
  const ErrorDetail* error = watcher.error.get();
  bool knows = false;
  // A server that leaves out all that the client has (R1.39) never says that it is there: what was
  // last heard of the connection stays, until it has something to say (A78).
  if (error != nullptr && error->cause == Cause::kConnectivity && !has_seen_response_) {
    if (has_value || truth.kind != Truth::kValid) return;
  }
  switch (truth.kind) {
    case Truth::kValid:
      knows = watcher.content == truth.content && error == nullptr;
      break;
    case Truth::kInvalid:
      knows = error != nullptr && error->cause == Cause::kNack;
      break;
    case Truth::kError:
      if (mode_.data_error_handling) {
        knows = error != nullptr && error->cause == Cause::kServerError;
        break;
      }
      [[fallthrough]];  // Who does not read errors knows of an absence.
    case Truth::kAbsent:
      if (!has_value) {
        // Its time was up, or it went; or an older error is remembered (R2.16), or there never was
        // a good one.
        knows = error != nullptr && error->cause != Cause::kConnectivity;
      } else if (!IsFullState(watcher.key.type) || !mode_.data_error_handling) {
        // Nobody says of these that they are gone (R1.42), or the deletion was ignored (R6.04).
        knows = error == nullptr || error->cause != Cause::kConnectivity;
      } else {
        knows = error != nullptr &&
                (error->cause == Cause::kDeleted || error->cause == Cause::kServerError);
      }
      break;
  }
  if (knows) return;
  findings_.Add(absl::StrCat("in the end watcher ", watcher.id.value(), " of ",
                             TypeAt(watcher.key.type).noun(), " ", NameAt(watcher.key.name),
                             " does not know what is true: truth ", static_cast<int>(truth.kind),
                             " ", ContentAt(truth.content), ", it uses ",
                             has_value ? ContentAt(watcher.content) : "nothing", ", last error ",
                             error == nullptr ? "none" : TextOf(*error)));
}

}  // namespace holdfast
