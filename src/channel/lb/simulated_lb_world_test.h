// A world for a tree, for its simulation: connections that come and go by chance, timers, clusters
// made of dice, and what must hold after every event.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "channel/lb/lb_conversation_test.h"
#include "channel/lb/lb_tree.h"

namespace holdfast {

// Chooses by chance, also what is not there.
class RecklessPolicy final : public LbPolicyFactory, public LbPolicyInstance, public LbPicker {
 public:
  std::string name() const override { return "acme.reckless"; }
  absl::StatusOr<std::unique_ptr<LbPolicyInstance>> Create(absl::string_view) const override {
    return std::make_unique<RecklessPolicy>();
  }
  std::shared_ptr<LbPicker> MakePicker(const std::vector<LbEndpoint>&) override {
    return std::make_shared<RecklessPolicy>();
  }
  LbPick Pick(const LbPickArgs& args) override { return LbPick::Endpoint(args.random % 5); }
};

enum class WorldKind {
  kAnything,  // every policy, aggregates, localities that move
  // One leaf with round_robin, and addresses that say which priority they are of: 10.<priority>...
  kPlain,
};

class SimulatedLbWorld {
 public:
  SimulatedLbWorld(uint64_t seed, WorldKind kind)
      : kind_(kind),
        dice_(seed),
        tree_({.seed = seed,
               .make_turns = [] { return std::make_shared<CountedTurns>(); },
               .find_policy =
                   [](absl::string_view) { return std::make_shared<const RecklessPolicy>(); }}) {}

  void Step() {
    const uint32_t what = Roll(100);
    if (what < 4 || picker_ == nullptr) {
      Tell(LbConfigChanged{RollLeaves()});
    } else if (what < 85) {
      ChangeSomeConnection();
    } else if (what < 95) {
      FireNextTimer();
    } else if (what < 97) {
      Tell(LbTimerFired{LbTimerId(1 + Roll(50))});  // Perhaps of a timer long gone.
    } else {
      Tell(ConnectionWanted{});
    }
  }

  // Everything that tries succeeds: now calls must get through, on the first priority.
  void LetEverythingConnect() {
    for (int i = 0; i < 1000; ++i) {
      Tell(ConnectionWanted{});
      bool is_any_trying = false;
      for (const auto& [id, connection] : std::map(live_)) {
        if (live_.count(id) == 0 || !connection.is_asked) continue;
        if (connection.told == Connectivity::kReady) continue;
        is_any_trying = true;
        Tell(SubchannelStateChanged{id, Connectivity::kReady, {}});
      }
      if (!is_any_trying) break;
    }
    if (kind_ == WorldKind::kPlain && has_endpoints_) {
      EXPECT_EQ(state_, Connectivity::kReady) << journal_.str();
      for (SubchannelId id : InPicker()) EXPECT_EQ(PriorityOf(id), first_priority_);
    }
  }

  void EndWithoutConfiguration() {
    Tell(LbConfigChanged{});
    EXPECT_TRUE(live_.empty()) << live_.size() << " subchannels were never released";
    EXPECT_TRUE(timers_.empty()) << timers_.size() << " timers were left running";
  }

  size_t events() const { return events_; }

 private:
  struct Connection {
    std::string target;
    Connectivity told = Connectivity::kIdle;
    bool is_asked = false;    // to connect, since it was last idle
    bool has_failed = false;  // since it was last ready
  };

  uint32_t Roll(uint32_t bound) { return static_cast<uint32_t>(dice_() % bound); }

  // --- Clusters made of dice. ---

  std::vector<LbLeaf> RollLeaves() {
    std::vector<LbLeaf> leaves;
    if (kind_ == WorldKind::kPlain) {
      leaves.push_back(RollLeaf("pay", kRoundRobin));
      first_priority_ = -1;
      has_endpoints_ = false;
      for (size_t i = 0; i < leaves[0].endpoints->priorities.size(); ++i) {
        for (const auto& locality : leaves[0].endpoints->priorities[i]) {
          if (locality.endpoints.empty() || has_endpoints_) continue;
          has_endpoints_ = true;
          first_priority_ = static_cast<int>(i);
        }
      }
      return leaves;
    }
    const LbPolicy policies[] = {kRoundRobin,
                                 kPickFirst,
                                 ByLocality(kRoundRobin),
                                 ByLocality(kPickFirst),
                                 {PickFirstLb{true}},
                                 {CustomLb{.name = "acme.reckless"}},
                                 {RingHashLb{}}};
    std::vector<std::string> names = {"pay", "near", "far"};
    std::shuffle(names.begin(), names.end(), dice_);
    for (uint32_t i = 0, count = Roll(4); i < count; ++i) {
      leaves.push_back(RollLeaf(names[i], policies[Roll(7)]));
    }
    return leaves;
  }

  LbLeaf RollLeaf(const std::string& name, const LbPolicy& policy) {
    Priorities priorities(Roll(4));
    for (size_t i = 0; i < priorities.size(); ++i) {
      const size_t place = kind_ == WorldKind::kPlain ? i : Roll(4);
      std::set<uint32_t> regions;
      for (uint32_t left = Roll(3); left > 0; --left) regions.insert(Roll(3));
      for (uint32_t region : regions) {
        priorities[i].push_back(
            In(absl::StrCat("r", place, region), 1 + Roll(5), RollEndpoints(place)));
      }
    }
    std::vector<DropCategory> drops;
    if (kind_ == WorldKind::kAnything && Roll(5) == 0) drops = {{"shed", Roll(3) * 500000}};
    LbLeaf leaf = Leaf(name, std::move(priorities), policy, std::move(drops));
    if (kind_ == WorldKind::kAnything && Roll(10) == 0) leaf.dns_target = "dns:///pay.internal:443";
    if (Roll(5) == 0) leaf.note = absl::StrCat("note ", Roll(3));
    return leaf;
  }

  std::vector<Endpoint> RollEndpoints(size_t place) {
    std::vector<Endpoint> endpoints;
    for (uint32_t left = Roll(4); left > 0; --left) {
      std::vector<std::string> ips = {absl::StrCat("10.", place, ".0.", 1 + Roll(6))};
      if (Roll(3) == 0) ips.push_back(absl::StrCat("10.", place, ".1.", 1 + Roll(6)));
      endpoints.push_back(AtAll(ips));
      if (kind_ == WorldKind::kAnything && Roll(8) == 0) {
        endpoints.back().health = HealthStatus::kDraining;
      }
    }
    return endpoints;
  }

  // --- What happens. ---

  void ChangeSomeConnection() {
    if (live_.empty()) return;
    auto chosen = live_.begin();
    std::advance(chosen, Roll(static_cast<uint32_t>(live_.size())));
    const Connection& connection = chosen->second;
    Connectivity next = connection.told;
    if (Roll(50) == 0) {
      next = static_cast<Connectivity>(Roll(4));  // Somebody who shares it did that.
    } else if (connection.told == Connectivity::kReady) {
      next = Connectivity::kIdle;
    } else if (connection.is_asked) {
      const Connectivity results[] = {Connectivity::kConnecting, Connectivity::kReady,
                                      Connectivity::kReady, Connectivity::kTransientFailure};
      next = results[Roll(4)];
    }
    const char* const reasons[] = {"Connection refused", "No route to host"};
    const bool fails = next == Connectivity::kTransientFailure;
    Tell(SubchannelStateChanged{chosen->first, next,
                                fails ? absl::UnavailableError(reasons[Roll(2)]) : absl::Status()});
  }

  void FireNextTimer() {
    auto next = timers_.begin();
    for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
      if (timer->second < next->second) next = timer;
    }
    if (next == timers_.end()) return;
    now_ = std::max(now_, next->second);
    const LbTimerId fired = next->first;
    timers_.erase(next);
    Tell(LbTimerFired{fired});
  }

  void Tell(const LbEvent& event) {
    ++events_;
    if (const auto* fired = std::get_if<LbTimerFired>(&event)) timers_.erase(fired->timer);
    if (const auto* news = std::get_if<SubchannelStateChanged>(&event)) Remember(*news);
    journal_.str("");
    journal_ << event << "\n";
    const LbEffects effects = tree_.Handle(now_, event);
    for (const LbEffect& effect : effects) {
      journal_ << "  " << effect << "\n";
      EXPECT_FALSE(is_published_in_this_turn_)
          << "publishing is the last effect: " << journal_.str();
      std::visit([&](const auto& its_kind) { CarryOut(its_kind); }, effect);
    }
    is_published_in_this_turn_ = false;
    CheckPicker();
  }

  void Remember(const SubchannelStateChanged& news) {
    Connection& connection = live_[news.subchannel];
    connection.told = news.state;
    connection.is_asked = news.state != Connectivity::kIdle;
    if (news.state == Connectivity::kReady) connection.has_failed = false;
    if (news.state == Connectivity::kTransientFailure) connection.has_failed = true;
  }

  // --- What is ordered, and whether that may be. ---

  void CarryOut(const CreateSubchannel& effect) {
    EXPECT_GT(effect.slot->id, last_created_) << journal_.str();
    last_created_ = effect.slot->id;
    live_[effect.slot->id] = {.target = effect.slot->target};
  }
  void CarryOut(const ConnectSubchannel& effect) {
    ASSERT_EQ(live_.count(effect.subchannel), 1u) << journal_.str();
    Connection& connection = live_[effect.subchannel];
    EXPECT_FALSE(connection.is_asked) << "it is connecting already: " << journal_.str();
    connection.is_asked = true;
  }
  void CarryOut(const ReleaseSubchannel& effect) {
    EXPECT_EQ(live_.erase(effect.subchannel), 1u) << journal_.str();
  }
  void CarryOut(const StartLbTimer& effect) {
    EXPECT_GT(effect.timer, last_timer_) << journal_.str();
    last_timer_ = effect.timer;
    timers_[effect.timer] = now_ + effect.after;
  }
  void CarryOut(const CancelLbTimer& effect) {
    EXPECT_EQ(timers_.erase(effect.timer), 1u) << "not running: " << journal_.str();
  }
  void CarryOut(const PublishPicker& effect) {
    is_published_in_this_turn_ = true;
    const std::string text = effect.picker->Text();
    EXPECT_TRUE(picker_ == nullptr || effect.state != state_ || text != text_)
        << "no news: " << journal_.str();
    state_ = effect.state;
    picker_ = effect.picker;
    text_ = text;
  }

  // --- What pickers must say. ---

  std::set<SubchannelId> InPicker() const {
    std::set<SubchannelId> ids;
    for (absl::string_view part : absl::StrSplit(text_, '#')) {
      uint64_t id = 0;
      if (absl::SimpleAtoi(part.substr(0, part.find_first_not_of("0123456789")), &id)) {
        ids.insert(SubchannelId(id));
      }
    }
    return ids;
  }

  int PriorityOf(SubchannelId id) const {
    const auto found = live_.find(id);
    if (found == live_.end()) return -1;
    const std::vector<std::string> parts = absl::StrSplit(found->second.target, '.');
    int priority = -1;
    return absl::SimpleAtoi(parts[1], &priority) ? priority : -1;
  }

  void CheckPicker() {
    if (picker_ == nullptr) return;
    for (SubchannelId id : InPicker()) {
      ASSERT_EQ(live_.count(id), 1u) << text_ << " has what was released: " << journal_.str();
      EXPECT_EQ(live_[id].told, Connectivity::kReady) << text_ << ": " << journal_.str();
    }
    const std::multimap<std::string, std::string> metadata;
    const PickResult pick =
        picker_->Pick({"/a/b", metadata}, [&](uint32_t bound) { return Roll(bound); });
    if (pick.kind == PickResult::Kind::kComplete) {
      EXPECT_EQ(live_.count(pick.subchannel->id), 1u) << journal_.str();
    } else if (pick.kind != PickResult::Kind::kQueue) {
      EXPECT_EQ(pick.status.code(), absl::StatusCode::kUnavailable);
    }
    if (kind_ == WorldKind::kPlain) CheckPlain(pick);
  }

  void CheckPlain(const PickResult& pick) {
    EXPECT_EQ(pick.kind == PickResult::Kind::kComplete, state_ == Connectivity::kReady);
    EXPECT_EQ(pick.kind == PickResult::Kind::kFail, state_ == Connectivity::kTransientFailure);
    const std::set<SubchannelId> used = InPicker();
    const int serving = used.empty() ? -1 : PriorityOf(*used.begin());
    for (const auto& [id, connection] : live_) {
      const bool is_ready = connection.told == Connectivity::kReady;
      if (state_ == Connectivity::kTransientFailure) {
        EXPECT_TRUE(connection.has_failed) << "may still succeed: " << id << journal_.str();
      }
      if (state_ == Connectivity::kReady) {
        const int priority = PriorityOf(id);
        EXPECT_FALSE(is_ready && priority < serving) << "better: " << id << journal_.str();
        EXPECT_EQ(is_ready && priority == serving, used.count(id) == 1) << id << journal_.str();
      }
    }
  }

  const WorldKind kind_;
  std::mt19937_64 dice_;
  LbTree tree_;
  absl::Time now_ = absl::UnixEpoch();
  size_t events_ = 0;
  std::ostringstream journal_;  // of this turn

  std::map<SubchannelId, Connection> live_;
  SubchannelId last_created_;
  std::map<LbTimerId, absl::Time> timers_;
  LbTimerId last_timer_;

  bool has_endpoints_ = false;
  int first_priority_ = -1;

  bool is_published_in_this_turn_ = false;
  Connectivity state_ = Connectivity::kIdle;
  std::shared_ptr<const Picker> picker_;
  std::string text_;
};

}  // namespace holdfast
