// Talking to a tree, for its tests: each event is answered by all its effects, a line each, in
// their order.
//
//   LbConversation talk;
//   EXPECT_EQ(talk.Config(Pay({{In("eu", 1, {At("10.0.0.1")})}})),
//             Lines({"CreateSubchannel #1 ipv4:10.0.0.1:443", "ConnectSubchannel #1",
//                    "StartLbTimer #1 10s", "PublishPicker CONNECTING queue"}));
//   EXPECT_EQ(talk.Ready(1), Lines({"CancelLbTimer #1", "PublishPicker READY round_robin(#1)"}));
//   EXPECT_EQ(talk.Pick(), "#1");
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "channel/lb/lb_tree.h"

namespace holdfast {

struct Lines {
  std::vector<std::string> lines;

  Lines() = default;
  explicit Lines(std::vector<std::string> all) : lines(std::move(all)) {}

  Lines StartingWith(absl::string_view start) const {
    Lines some;
    for (const std::string& line : lines) {
      if (absl::StartsWith(line, start)) some.lines.push_back(line);
    }
    return some;
  }

  friend bool operator==(const Lines&, const Lines&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Lines& all) {
    return out << (all.lines.empty() ? "nothing" : "\n  " + absl::StrJoin(all.lines, "\n  "));
  }
};

// --- Clusters. ---

inline Endpoint AtAll(const std::vector<std::string>& ips) {
  Endpoint endpoint;
  for (const std::string& ip : ips) endpoint.addresses.push_back({ip, 443});
  return endpoint;
}
inline Endpoint At(const std::string& ip) { return AtAll({ip}); }

inline LocalityEndpoints In(const std::string& region, uint32_t weight,
                            std::vector<Endpoint> endpoints) {
  return {.locality = {.region = region}, .weight = weight, .endpoints = std::move(endpoints)};
}

inline LbPolicy ByLocality(LbPolicy child) {
  return {WrrLocalityLb{std::make_shared<const LbPolicy>(std::move(child))}};
}
inline const LbPolicy kRoundRobin{RoundRobinLb{}};
inline const LbPolicy kPickFirst{PickFirstLb{}};

using Priorities = std::vector<std::vector<LocalityEndpoints>>;

inline LbLeaf Leaf(const std::string& cluster, Priorities priorities,
                   const LbPolicy& policy = kRoundRobin, std::vector<DropCategory> drops = {}) {
  Endpoints endpoints{
      .cluster_name = cluster, .priorities = std::move(priorities), .drops = std::move(drops)};
  return {.cluster = cluster,
          .policy = policy,
          .endpoints = std::make_shared<const Endpoints>(std::move(endpoints)),
          .note = "node \"web-1\""};
}
inline LbLeaf Pay(Priorities priorities, const LbPolicy& policy = kRoundRobin) {
  return Leaf("pay", std::move(priorities), policy);
}
// One locality, one priority.
inline LbLeaf PayAt(const std::vector<std::string>& ips, const LbPolicy& policy = kRoundRobin) {
  std::vector<Endpoint> endpoints;
  for (const std::string& ip : ips) endpoints.push_back(At(ip));
  return Pay({{In("eu", 1, std::move(endpoints))}}, policy);
}

inline std::string Unavailable(absl::string_view sentence) {
  return absl::StrCat("fail(UNAVAILABLE: cluster \"pay\": ", sentence, " (node \"web-1\"))");
}
inline std::string Failing(absl::string_view sentence) {
  return absl::StrCat("PublishPicker TRANSIENT_FAILURE ", Unavailable(sentence));
}

// --- The conversation. ---

class CountedTurns final : public Turns {
 public:
  uint32_t Next() override { return next_++; }

 private:
  uint32_t next_ = 0;
};

class LbConversation {
 public:
  using FindPolicy = std::function<std::shared_ptr<const LbPolicyFactory>(absl::string_view name)>;

  explicit LbConversation(FindPolicy find_policy = [](absl::string_view) { return nullptr; })
      : tree_({.seed = 1,
               .make_turns = [] { return std::make_shared<CountedTurns>(); },
               .find_policy = std::move(find_policy)}) {}

  Lines Config(LbLeaf leaf) { return Config(std::vector<LbLeaf>{std::move(leaf)}); }
  Lines Config(std::vector<LbLeaf> leaves) { return Tell(LbConfigChanged{std::move(leaves)}); }

  Lines Ready(uint64_t id) { return State(id, Connectivity::kReady); }
  Lines Idle(uint64_t id) { return State(id, Connectivity::kIdle); }
  Lines Connecting(uint64_t id) { return State(id, Connectivity::kConnecting); }
  Lines Fail(uint64_t id, absl::string_view why = "Connection refused") {
    return State(id, Connectivity::kTransientFailure, absl::UnavailableError(why));
  }
  Lines State(uint64_t id, Connectivity state, absl::Status why = absl::OkStatus()) {
    return Tell(SubchannelStateChanged{SubchannelId(id), state, std::move(why)});
  }
  Lines Wanted() { return Tell(ConnectionWanted{}); }

  // Time goes by, and the timers fire that are due, each at its time.
  Lines Pass(absl::Duration time) {
    Lines all;
    const absl::Time end = now_ + time;
    while (true) {
      auto next = timers_.begin();
      for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
        if (timer->second < next->second) next = timer;
      }
      if (next == timers_.end() || next->second > end) break;
      now_ = next->second;
      const LbTimerId fired = next->first;
      timers_.erase(next);
      for (std::string& line : Tell(LbTimerFired{fired}).lines) all.lines.push_back(line);
    }
    now_ = end;
    return all;
  }

  Lines Tell(const LbEvent& event) {
    Lines lines;
    for (const LbEffect& effect : tree_.Handle(now_, event)) {
      std::ostringstream line;
      line << effect;
      lines.lines.push_back(line.str());
      if (const auto* start = std::get_if<StartLbTimer>(&effect)) {
        timers_[start->timer] = now_ + start->after;
      } else if (const auto* cancel = std::get_if<CancelLbTimer>(&effect)) {
        timers_.erase(cancel->timer);
      } else if (const auto* published = std::get_if<PublishPicker>(&effect)) {
        picker_ = published->picker;
      }
    }
    return lines;
  }

  // "#1", "queue", "fail UNAVAILABLE: ...", "drop UNAVAILABLE: ..." from the newest picker. Chance
  // says these numbers, then 0.
  std::string Pick(std::vector<uint32_t> chances = {}) const {
    size_t next = 0;
    const auto chance = [&](uint32_t bound) {
      const uint32_t said = next < chances.size() ? chances[next++] : 0;
      EXPECT_LT(said, bound);
      return said;
    };
    const std::multimap<std::string, std::string> metadata = {{"tenant", "acme"}};
    const PickResult pick = picker_->Pick({"/acme.Pay/Charge", metadata}, chance);
    const std::string why =
        absl::StrCat(absl::StatusCodeToString(pick.status.code()), ": ", pick.status.message());
    switch (pick.kind) {
      case PickResult::Kind::kComplete:
        return absl::StrCat("#", pick.subchannel->id.value());
      case PickResult::Kind::kQueue:
        return "queue";
      case PickResult::Kind::kFail:
        return absl::StrCat("fail ", why);
      case PickResult::Kind::kDrop:
        return absl::StrCat("drop ", why);
    }
    return "nothing we know";
  }

  std::string PickerText() const { return picker_->Text(); }

 private:
  LbTree tree_;
  absl::Time now_ = absl::UnixEpoch();
  std::map<LbTimerId, absl::Time> timers_;
  std::shared_ptr<const Picker> picker_;
};

}  // namespace holdfast
