#include "tests/simulation/timer_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

// The longest backoff and its jitter.
constexpr absl::Duration kLongestReconnect = absl::Seconds(144);
constexpr absl::Duration kLongestHold = absl::Milliseconds(1);

}  // namespace

TimerRules::TimerRules(const Mode& mode, const Watchers& watchers, const ExpectedCache& cache,
                       const RequestRules& requests, Findings& findings)
    : mode_(mode), watchers_(watchers), cache_(cache), requests_(requests), findings_(findings) {}

void TimerRules::Do(absl::Time now, bool is_stream_open, const StartTimer& order) {
  if (order.timer <= newest_) findings_.Add("the id of a timer is used twice");
  newest_ = order.timer;
  const absl::Duration resource_timeout =
      absl::Seconds(mode_.data_error_handling && mode_.resource_timer_is_transient_error ? 30 : 15);
  Kind kind = Kind::kReconnect;
  if (is_stream_open) {
    kind = order.after <= kLongestHold ? Kind::kHold : Kind::kResource;
  }
  if (kind == Kind::kResource && order.after != resource_timeout) {
    findings_.Add(absl::StrCat("a resource timer of ", absl::FormatDuration(order.after)));
  }
  if (kind == Kind::kReconnect) {
    if (order.after > kLongestReconnect || order.after <= absl::ZeroDuration()) {
      findings_.Add(absl::StrCat("a backoff of ", absl::FormatDuration(order.after)));
    }
    if (IsRunning(Kind::kReconnect)) findings_.Add("two timers to reconnect");
  }
  running_.push_back({order.timer, kind, now + order.after});
}

void TimerRules::Do(const CancelTimer& order) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const Timer& timer) { return timer.id == order.timer; });
  if (found == running_.end()) {
    findings_.Add("a timer is cancelled that does not run");
    return;
  }
  dead_.push_back(found->id);
  running_.erase(found);
}

bool TimerRules::IsRunning(Kind kind) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const Timer& timer) { return timer.kind == kind; });
}

TimerRules::Timer TimerRules::TakeNext() {
  HOLDFAST_CHECK(!running_.empty());
  const auto next =
      std::min_element(running_.begin(), running_.end(),
                       [](const Timer& a, const Timer& b) { return a.deadline < b.deadline; });
  const Timer timer = *next;
  dead_.push_back(timer.id);
  running_.erase(next);
  return timer;
}

std::optional<TimerId> TimerRules::AnyDead(Chance& chance) const {
  if (dead_.empty()) return std::nullopt;
  return dead_[static_cast<size_t>(chance.Below(static_cast<int>(dead_.size())))];
}

void TimerRules::ResponseCame(const DiscoveryResponse& response) {
  const int type = IndexOfTypeUrl(response.type_url);
  for (const ResourceEntry& resource : response.resources) {
    Mentioned(type, resource.name, /*is_clear=*/true);
  }
  if (!mode_.data_error_handling) return;
  for (const ResourceError& error : response.resource_errors) {
    // Whether an error counts that says nothing is left open.
    Mentioned(type, error.name, /*is_clear=*/error.problem.empty());
  }
}

void TimerRules::Mentioned(int type, absl::string_view name, bool is_clear) {
  const ResourceKey key = {type, IndexOfName(name)};
  if (key.name < 0 || cache_.IsGone(key)) return;
  Heard& heard = heard_[key.index()];
  if (is_clear && watchers_.IsWatched(key)) {
    heard = Heard::kYes;
  } else if (heard == Heard::kNothing) {
    heard = Heard::kMaybe;
  }
}

void TimerRules::RequestOrdered(int type, const NameSet& names) {
  for (int name = 0; name < kNames; ++name) {
    if (!names[static_cast<size_t>(name)]) {
      heard_[ResourceKey{type, name}.index()] = Heard::kNothing;
    }
  }
}

void TimerRules::RequestLeft(int type, const NameSet& names) {
  for (int name = 0; name < kNames; ++name) {
    const ResourceKey key = {type, name};
    if (names[static_cast<size_t>(name)] && cache_.HasContent(key)) {
      heard_[key.index()] = Heard::kYes;
    }
  }
}

void TimerRules::MayForget(ResourceKey key) {
  Heard& heard = heard_[key.index()];
  if (heard == Heard::kYes) heard = Heard::kMaybe;
}

void TimerRules::StreamEnded() {
  heard_.fill(Heard::kNothing);
  silently_fired_ = 0;
}

void TimerRules::Check(bool is_stream_open) {
  const auto running = std::count_if(running_.begin(), running_.end(), [](const Timer& timer) {
    return timer.kind == Kind::kResource;
  });
  int must_wait = 0;
  int may_wait = 0;
  for (int type = 0; is_stream_open && type < kTypes; ++type) {
    if (watchers_.watched(type).none()) continue;
    for (int name = 0; name < kNames; ++name) {
      const ResourceKey key = {type, name};
      if (!watchers_.IsWatched(key) || cache_.HasContent(key)) continue;
      if (!requests_.IsSent(key) || !requests_.IsOrdered(key)) continue;
      // The server's own word is remembered (DEC-10).
      if (cache_.state(key) == CacheState::kReceivedError) continue;
      const Heard heard = heard_[key.index()];
      may_wait += heard != Heard::kYes;
      must_wait += heard == Heard::kNothing;
    }
  }
  if (running > may_wait || running < must_wait - silently_fired_) {
    findings_.Add(absl::StrCat(running, " resource timers run, and ", may_wait,
                               " resources wait that were asked for"));
  }
}

}  // namespace holdfast
