#include "channel/call/channel_core.h"

#include <atomic>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "channel/call/call_chance.h"
#include "channel/call/data_plane_status.h"
#include "channel/routing/route_table.h"
#include "client/lb_policy_registry.h"

namespace holdfast {
namespace {

class AtomicTurns final : public Turns {
 public:
  uint32_t Next() override { return next_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> next_ = 0;
};

// Who changes the names of routes again and again is not told again and again.
constexpr size_t kMostSaid = 1000;

// A channel that could not be taken down on its loop, because the loop stopped with the process.
void LeaveToTheEndOfTheProcess(std::shared_ptr<ChannelCore> core) {
  static auto& left = *new std::vector<std::shared_ptr<ChannelCore>>();
  static auto& mutex = *new std::mutex();
  const std::lock_guard lock(mutex);
  left.push_back(std::move(core));
}

LbTreeOptions TreeOptions() {
  LbTreeOptions options;
  options.seed = RandomBits();
  options.make_turns = [] { return std::make_shared<AtomicTurns>(); };
  options.find_policy = FindLbPolicy;
  return options;
}

}  // namespace

ChannelCore::ChannelCore(ChannelParts parts)
    : parts_(std::move(parts)),
      client_(ClientCore::Of(*parts_.client)),
      loop_(ControlLoop::Shared()),
      switch_(parts_.names.target, loop_),
      dependencies_(parts_.names),
      pool_(loop_, parts_.credentials, parts_.options, parts_.names.authority) {}

// Whatever is left ends without being told: the loop may be gone.
ChannelCore::~ChannelCore() = default;

Direction ChannelCore::Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) {
  loop_.NoteCall();
  Direction direction = switch_.Direct(call, place);
  if (!loop_.is_stopped()) return direction;
  // Why it fails now is known; but nothing will get better.
  if (direction.kind == Direction::Kind::kFail) direction.kind = Direction::Kind::kDrop;
  if (direction.kind == Direction::Kind::kWait) {
    direction.kind = Direction::Kind::kDrop;
    direction.status = DataPlaneStatus(
        Door::kResolver, absl::UnavailableError(absl::StrCat(
                             "target ", Quoted(parts_.names.target),
                             ": the process is exiting, and nobody would end this call's wait")));
  }
  return direction;
}

void ChannelCore::Wait(std::weak_ptr<WaitingCall> call,
                       const std::shared_ptr<WaitingPlace>& place) {
  const auto chosen = std::static_pointer_cast<ClusterPlace>(place);
  if (chosen == nullptr) {
    AddTo(switch_.waiting(), std::move(call));
    loop_.Post([self = shared_from_this()] {
      self->StartOnce();
      self->PruneLater();
      self->switch_.waiting().RetryNew();
    });
    return;
  }
  const std::shared_ptr<ClusterEntrance> entrance = chosen->entrance;
  AddTo(entrance->waiting, std::move(call));
  chosen->on_left = [weak = weak_from_this(), cluster = entrance->cluster] {
    if (const auto self = weak.lock(); self != nullptr) {
      self->loop_.Post([self, cluster] { self->Tell(ClusterLetGo{cluster}); });
    }
  };
  loop_.Post([self = shared_from_this(), entrance] {
    self->Tell(ClusterHeld{entrance->cluster});
    self->PruneLater();
    const auto found = self->balancers_.find(entrance->cluster);
    if (found != self->balancers_.end() && found->second->state() == Connectivity::kIdle) {
      found->second->Connect();
    }
    // What changed since it asked is not missed.
    entrance->waiting.RetryNew();
  });
}

void ChannelCore::AddTo(WaitingList& list, std::weak_ptr<WaitingCall> call) {
  list.Add(std::move(call));
  // If the loop stopped before this, OnStopped may have missed it.
  if (loop_.is_stopped()) list.RetryNew();
}

void ChannelCore::OnStopped() {
  switch_.waiting().Retry();
  // The loop's, which is no more.
  for (const auto& [cluster, balancer] : balancers_) balancer->entrance()->waiting.Retry();
}

void ChannelCore::Connect() {
  loop_.Post([self = shared_from_this()] {
    self->StartOnce();
    for (const auto& [cluster, balancer] : self->balancers_) {
      if (balancer->state() == Connectivity::kIdle) balancer->Connect();
    }
  });
}

void ChannelCore::Shutdown() {
  loop_.Post([self = shared_from_this()] { self->End(); });
  // That may have come too late, while the loop is still at its last task.
  if (loop_.is_stopped()) LeaveToTheEndOfTheProcess(shared_from_this());
}

void ChannelCore::StartOnce() {
  if (is_over_ || watches_ != nullptr) return;
  watches_ = std::make_unique<ResourceWatches>(
      client_, loop_, [weak = weak_from_this()](const DependencyEvent& event) {
        if (const auto self = weak.lock(); self != nullptr) self->Tell(event);
      });
  Carry(dependencies_.Start());
  ShowState();
}

void ChannelCore::Tell(DependencyEvent event) {
  if (!is_over_ && watches_ != nullptr) Carry(dependencies_.Handle(event));
}

void ChannelCore::Carry(const DependencyEffects& effects) {
  for (const DependencyEffect& effect : effects) {
    std::visit([this](const auto& order) { Do(order); }, effect);
  }
}

void ChannelCore::Do(const WatchResource& order) { watches_->Start(order.what); }

void ChannelCore::Do(const UnwatchResource& order) { watches_->Stop(order.what); }

// Clusters come before the routes that lead to them, and go after those (R13.02).
void ChannelCore::Do(const ApplyConfig& order) {
  bool is_error_news = false;
  for (const auto& [cluster, config] : order.change.clusters) {
    ClusterBalancer& balancer = BalancerOf(cluster);
    is_error_news = is_error_news || !config.ok() || balancer.entrance()->is_in_error;
    balancer.Apply(config);
  }
  if (!order.change.routing_note.empty()) routing_note_ = order.change.routing_note;
  if (order.change.routing != nullptr) {
    Route(*order.change.routing);
  } else if (!order.change.routing_note.empty()) {
    auto renewed = std::make_shared<Routing>(*routing_);
    renewed->note = routing_note_;
    Publish(std::move(renewed));
  }
  for (const std::string& cluster : order.change.removed) Remove(cluster);
  ShowState();
  // Those who met an error wait for no cluster in particular.
  if (is_error_news) switch_.waiting().Retry();
}

void ChannelCore::Do(const FailCalls& order) {
  is_failed_ = true;
  auto routing = std::make_shared<Routing>();
  routing->failure = order.why;
  Publish(std::move(routing));
  ShowState();
}

void ChannelCore::Route(const RoutingConfig& config) {
  is_failed_ = false;
  auto routing = std::make_shared<Routing>();
  const auto table = std::make_shared<const RouteTable>(*config.virtual_host,
                                                        config.listener->max_stream_duration);
  routing->selector = table;
  routing->note = routing_note_;
  for (const std::string& sentence : table->not_enforced()) {
    if (said_.size() >= kMostSaid || !said_.insert(sentence).second) continue;
    parts_.log->Log(Severity::kWarning, "channel",
                    absl::StrCat(parts_.names.target, ": ", sentence));
  }
  for (const std::string& cluster : table->clusters()) {
    routing->entrances.push_back(BalancerOf(cluster).entrance());
  }
  Publish(std::move(routing));
}

void ChannelCore::Publish(std::shared_ptr<const Routing> routing) {
  routing_ = std::move(routing);
  switch_.Publish(routing_);
  // Counted after it is in force: who reads the new count before it asks where to go gets no old
  // answer. One that asks in between finds a change where there is none, and asks again.
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

ClusterBalancer& ChannelCore::BalancerOf(const std::string& cluster) {
  std::unique_ptr<ClusterBalancer>& balancer = balancers_[cluster];
  if (balancer == nullptr) {
    balancer = std::make_unique<ClusterBalancer>(
        cluster, TreeOptions(), loop_, pool_,
        [this](Connectivity from, Connectivity to) { OnClusterState(from, to); });
    ++clusters_in_state_[static_cast<size_t>(balancer->state())];
  }
  return *balancer;
}

void ChannelCore::Remove(const std::string& cluster) {
  const auto balancer = balancers_.extract(cluster);
  if (balancer.empty()) return;
  --clusters_in_state_[static_cast<size_t>(balancer.mapped()->state())];
  balancer.mapped()->Close();
}

void ChannelCore::OnClusterState(Connectivity from, Connectivity to) {
  changes_.fetch_add(1, std::memory_order_acq_rel);
  --clusters_in_state_[static_cast<size_t>(from)];
  ++clusters_in_state_[static_cast<size_t>(to)];
  ShowState();
}

void ChannelCore::ShowState() {
  const auto any = [this](Connectivity state) {
    return clusters_in_state_[static_cast<size_t>(state)] > 0;
  };
  grpc_connectivity_state state = GRPC_CHANNEL_CONNECTING;
  if (is_failed_) {
    state = GRPC_CHANNEL_TRANSIENT_FAILURE;
  } else if (any(Connectivity::kReady)) {
    state = GRPC_CHANNEL_READY;
  } else if (any(Connectivity::kConnecting) || balancers_.empty()) {
    state = GRPC_CHANNEL_CONNECTING;
  } else if (any(Connectivity::kIdle)) {
    state = GRPC_CHANNEL_IDLE;
  } else {
    state = GRPC_CHANNEL_TRANSIENT_FAILURE;
  }
  parts_.state->Set(state);
}

void ChannelCore::PruneLater() {
  if (is_pruning_ || is_over_) return;
  is_pruning_ = true;
  loop_.StartTimer(absl::Seconds(1), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->is_pruning_ = false;
    bool is_any_left = self->switch_.waiting().Prune();
    for (const auto& [cluster, balancer] : self->balancers_) {
      is_any_left = balancer->entrance()->waiting.Prune() || is_any_left;
    }
    if (is_any_left) self->PruneLater();
  });
}

void ChannelCore::End() {
  if (std::exchange(is_over_, true)) return;
  if (watches_ != nullptr) watches_->StopAll();
  for (const auto& [cluster, balancer] : std::exchange(balancers_, {})) balancer->Close();
  parts_.state->Set(GRPC_CHANNEL_SHUTDOWN);
}

}  // namespace holdfast
