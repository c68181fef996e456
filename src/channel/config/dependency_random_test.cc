// Random news, and after each piece of it what must always hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/match.h"
#include "base/error_detail.h"
#include "channel/config/config_from_scratch_test.h"

namespace holdfast {
namespace {

constexpr uint32_t kSeeds = 40;
constexpr int kSteps = 400;

class Story {
 public:
  // In a chain a cluster is mostly an aggregate of the next: deep, up to the limit and beyond.
  Story(uint32_t seed, bool is_chain) : dice_(seed), is_chain_(is_chain) {
    world_.known[Lds()] = {};
    manager_.Start();
  }

  void Step() {
    if (Roll(8) == 0) {
      HoldOrLetGo();
    } else {
      Hear(Roll(10) == 0 ? AnyDependency() : SomeWatched());
    }
    CheckInvariants();
  }

  // Everything that is asked for is answered: nothing may be left waiting.
  void Converge() {
    for (int round = 0; round < 1000; ++round) {
      const auto open =
          std::find_if(world_.known.begin(), world_.known.end(),
                       [this](const auto& entry) { return !world_.IsAnswered(entry.first); });
      if (open == world_.known.end()) break;
      const Dependency what = open->first;
      Tell(ResourceArrived{what, SomeValue(what)});
      CheckInvariants();
    }
    const Wanted wanted = WantedOf(world_);
    ASSERT_TRUE(wanted.is_known);
    EXPECT_EQ(is_failing_, wanted.host == nullptr);
    std::set<std::string> applied;
    for (const auto& [name, result] : applied_) applied.insert(name);
    EXPECT_EQ(applied, Roots());
  }

 private:
  uint32_t Roll(uint32_t sides) { return static_cast<uint32_t>(dice_() % sides); }
  std::string Name(const char* prefix, uint32_t sides) { return absl::StrCat(prefix, Roll(sides)); }

  Dependency AnyDependency() {
    switch (Roll(4)) {
      case 0:
        return Lds();
      case 1:
        return Rds(Name("r", 3));
      case 2:
        return Cds(Name("c", 20));
      default:
        return Eds(Name("e", 5));
    }
  }
  Dependency SomeWatched() {
    auto at = world_.known.begin();
    std::advance(at, Roll(static_cast<uint32_t>(world_.known.size())));
    return at->first;
  }

  RouteConfig SomeRoutes(const std::string& name) {
    std::vector<std::string> clusters;
    for (uint32_t i = Roll(4); i > 0; --i) clusters.push_back(Name("c", is_chain_ ? 3 : 20));
    RouteConfig routes = RoutesTo(name, clusters);
    if (Roll(12) == 0) routes.virtual_hosts[0].domains = {"other.example"};
    return routes;
  }
  Cluster SomeCluster(const std::string& name) {
    if (is_chain_ && Roll(10) < 9) {
      const std::string next = absl::StrCat("c", std::stoi(name.substr(1)) + 1);
      return AggregateOf(name, {next, Name("c", 20)});
    }
    switch (Roll(4)) {
      case 0:
        return DnsCluster(name);
      case 1: {
        std::vector<std::string> members;
        for (uint32_t i = 1 + Roll(3); i > 0; --i) members.push_back(Name("c", 20));
        return AggregateOf(name, members);
      }
      default:
        return EdsCluster(name, Name("e", 5));
    }
  }
  DependencyValue SomeValue(const Dependency& what) {
    switch (what.kind) {
      case DependencyKind::kListener:
        if (Roll(3) == 0) return ListenerWith(SomeRoutes("inside"));
        return ListenerTo(Name("r", 3));
      case DependencyKind::kRoutes:
        return std::make_shared<const RouteConfig>(SomeRoutes(what.name));
      case DependencyKind::kCluster:
        return std::make_shared<const Cluster>(SomeCluster(what.name));
      case DependencyKind::kEndpoints:
        break;
    }
    return std::make_shared<const Endpoints>(EndpointsAt(what.name, Name("10.0.0.", 3)));
  }

  void Hear(const Dependency& what) {
    const auto at = world_.known.find(what);
    const bool has_value = at != world_.known.end() && at->second.value.has_value();
    const uint32_t rarely = what.kind == DependencyKind::kListener ? 20 : 8;
    if (Roll(rarely) == 0) {
      Tell(ResourceFailed{what, absl::NotFoundError(Name("gone ", 2))});
    } else if (!has_value && Roll(4) == 0) {  // With a value it is an ambient error.
      Tell(ResourceFailed{what, ToStatus({.code = absl::StatusCode::kUnavailable,
                                          .cause = Cause::kConnectivity,
                                          .text = Name("unreachable ", 2)})});
    } else if (has_value && Roll(3) == 0) {
      Tell(AmbientErrorChanged{
          what, Roll(2) == 0 ? absl::OkStatus() : absl::UnavailableError(Name("stale ", 2))});
    } else {
      Tell(ResourceArrived{what, SomeValue(what)});
    }
  }

  void HoldOrLetGo() {
    if (holds_.empty() || Roll(2) == 0) {
      const std::string cluster = Name("c", 20);
      ++holds_[cluster];
      TakeIn(manager_.Handle(ClusterHeld{cluster}));
      return;
    }
    auto at = holds_.begin();
    std::advance(at, Roll(static_cast<uint32_t>(holds_.size())));
    const std::string cluster = at->first;
    if (--at->second == 0) holds_.erase(at);
    TakeIn(manager_.Handle(ClusterLetGo{cluster}));
  }

  template <typename News>
  void Tell(const News& news) {
    SCOPED_TRACE(testing::Message() << DependencyEvent(news));
    const auto at = world_.known.find(news.what);
    if (at != world_.known.end() && !IsNoAnswer(news)) Learn(news, at->second);
    const DependencyEffects effects = manager_.Handle(news);
    if (at == world_.known.end()) {
      EXPECT_EQ(Conversation::LinesOf(effects), kNothing);
    }
    TakeIn(effects);
  }

  // A server that cannot be reached has not answered, for those who have something that works.
  template <typename News>
  bool IsNoAnswer(const News&) const {
    return false;
  }
  bool IsNoAnswer(const ResourceFailed& news) const {
    if (!DetailOf(news.why).has_value() || world_.IsAnswered(news.what)) return false;
    if (news.what.kind == DependencyKind::kListener) return false;
    if (news.what.kind == DependencyKind::kRoutes) return routing_ != nullptr;
    const std::set<std::string> wanted = ClustersOf(WantedOf(world_).host);
    const std::set<std::string> in_force =
        routing_ == nullptr ? wanted : ClustersOf(routing_->virtual_host);
    for (const std::string& root : Roots()) {
      if (NeededBy(world_, {root}).count(news.what) == 0) continue;
      const auto applied = applied_.find(root);
      if (applied != applied_.end() && applied->second.ok()) return true;
      if (wanted.count(root) > 0 && in_force.count(root) == 0) return true;
    }
    return false;
  }
  static void Learn(const ResourceArrived& news, Knowledge& known) { known = {news.value, "", ""}; }
  static void Learn(const ResourceFailed& news, Knowledge& known) {
    known = {std::nullopt, std::string(news.why.message()), ""};
  }
  static void Learn(const AmbientErrorChanged& news, Knowledge& known) {
    known.ambient_error = std::string(news.error.message());
  }

  void TakeIn(const DependencyEffects& effects) {
    size_t stage = 0;  // watches that start, a failure, a change, watches that end
    for (const DependencyEffect& effect : effects) {
      const size_t its_stage = std::visit([this](const auto& order) { return Do(order); }, effect);
      EXPECT_GE(its_stage, stage);
      stage = its_stage;
    }
    NoteRoutesError();
  }
  size_t Do(const WatchResource& order) {
    EXPECT_TRUE(world_.known.emplace(order.what, Knowledge()).second) << order.what;
    return 0;
  }
  size_t Do(const FailCalls& order) {
    EXPECT_EQ(order.why.code(), absl::StatusCode::kUnavailable);
    EXPECT_TRUE(!is_failing_ || order.why != failure_);
    is_failing_ = true;
    failure_ = order.why;
    routing_ = nullptr;
    routing_note_.clear();
    routes_error_.clear();
    return 1;
  }
  size_t Do(const ApplyConfig& order) {
    const ConfigChange& change = order.change;
    EXPECT_FALSE(change.is_empty());
    if (change.routing != nullptr) {
      EXPECT_TRUE(routing_ == nullptr || !(*routing_ == *change.routing));
      routing_ = change.routing;
      is_failing_ = false;
      routes_error_.clear();
    }
    EXPECT_TRUE(change.routing_note.empty() || change.routing_note != routing_note_);
    if (!change.routing_note.empty()) routing_note_ = change.routing_note;
    EXPECT_TRUE(std::is_sorted(change.removed.begin(), change.removed.end()));
    for (const std::string& name : change.removed) {
      EXPECT_EQ(applied_.erase(name), 1u) << name;
      EXPECT_EQ(change.clusters.count(name), 0u) << name;
    }
    for (const auto& [name, result] : change.clusters) {
      const auto before = applied_.find(name);
      EXPECT_TRUE(before == applied_.end() || !SameResult(before->second, result)) << name;
      if (before != applied_.end() && IsBeingLeft(name) && CanBeUsed(before->second)) {
        EXPECT_TRUE(CanBeUsed(result)) << name;
      }
      applied_.insert_or_assign(name, result);
    }
    return 2;
  }
  size_t Do(const UnwatchResource& order) {
    EXPECT_EQ(world_.known.erase(order.what), 1u) << order.what;
    return 3;
  }

  // Routes in force that are no longer watched keep the error they had.
  void NoteRoutesError() {
    if (routing_ == nullptr) return;
    const std::optional<Dependency> rds = RoutesOf(*routing_->listener);
    if (rds.has_value() && world_.Find<RouteConfig>(*rds) != nullptr) {
      routes_error_ = world_.ErrorOf(*rds);
    }
  }
  std::vector<NotePart> Above() const {
    std::vector<NotePart> above;
    const std::string error = world_.ErrorOf(Lds());
    if (!error.empty()) above.push_back({Lds(), error});
    if (!routes_error_.empty()) {
      above.push_back({RoutesOf(*routing_->listener).value(), routes_error_});
    }
    return above;
  }

  std::set<std::string> Due() const {
    std::set<std::string> due;
    if (routing_ != nullptr) due = ClustersOf(routing_->virtual_host);
    for (const auto& [name, count] : holds_) due.insert(name);
    return due;
  }
  std::set<std::string> Roots() const {
    std::set<std::string> roots = Due();
    roots.merge(ClustersOf(WantedOf(world_).host));
    return roots;
  }

  // Calls go there still, though the newest routes lead elsewhere.
  bool IsBeingLeft(const std::string& name) const {
    return routing_ != nullptr && ClustersOf(routing_->virtual_host).count(name) > 0 &&
           ClustersOf(WantedOf(world_).host).count(name) == 0;
  }

  void CheckInvariants() {
    const std::set<std::string> roots = Roots();
    std::set<Dependency> watched;
    for (const auto& [what, known] : world_.known) watched.insert(what);
    EXPECT_EQ(watched, NeededBy(world_, roots));
    CheckRouting();
    for (const auto& [name, result] : applied_) EXPECT_EQ(roots.count(name), 1u) << name;
    for (const std::string& name : Due()) {
      if (IsComplete(world_, name)) {
        EXPECT_EQ(applied_.count(name), 1u) << name;
      }
    }
    if (routing_ != nullptr) {
      for (const std::string& name : ClustersOf(routing_->virtual_host)) {
        EXPECT_EQ(applied_.count(name), 1u) << name;
      }
    }
    if (routing_ != nullptr) {
      EXPECT_EQ(routing_note_, ResolutionNote(Above(), "web-1"));
    }
    for (const auto& [name, result] : applied_) {
      if (!IsComplete(world_, name)) continue;
      // It may have been in error before it was left.
      if (IsBeingLeft(name) && CanBeUsed(result) && !CanBeUsed(world_, name)) continue;
      const std::string expected = ResultText(world_, name, Above());
      if (result.ok()) {
        EXPECT_EQ(TextOf(result), expected) << name;
      } else {
        EXPECT_TRUE(absl::StartsWith(TextOf(result), expected)) << TextOf(result);
      }
    }
  }
  void CheckRouting() {
    const Wanted wanted = WantedOf(world_);
    if (!wanted.is_known) return;
    if (wanted.host == nullptr) {
      EXPECT_TRUE(is_failing_);
      return;
    }
    for (const std::string& name : ClustersOf(wanted.host)) {
      if (!IsComplete(world_, name)) return;
    }
    ASSERT_NE(routing_, nullptr);
    EXPECT_EQ(*routing_->listener, *wanted.listener);
    EXPECT_EQ(*routing_->routes, *wanted.routes);
    EXPECT_EQ(*routing_->virtual_host, *wanted.host);
  }

  std::mt19937 dice_;
  const bool is_chain_;
  DependencyManager manager_{Conversation::Options()};
  World world_;
  std::map<std::string, int> holds_;
  // What was applied, put together from the changes.
  std::shared_ptr<const RoutingConfig> routing_;
  std::string routing_note_;
  std::string routes_error_;
  bool is_failing_ = false;
  absl::Status failure_;
  std::map<std::string, ClusterResult> applied_;
};

TEST(DependencyRandom, WhateverIsHeardTheConfigurationIsWhatItShouldBe) {  // R11.40
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    Story story(seed, /*is_chain=*/seed % 4 == 3);
    for (int step = 0; step < kSteps; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", step " << step);
      story.Step();
      if (testing::Test::HasFailure()) return;
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", the end");
    story.Converge();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace holdfast
