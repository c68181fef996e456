#include "channel/call/cluster_balancer.h"

#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace holdfast {
namespace {

LbLeaf LeafOf(const LeafCluster& leaf) {
  LbLeaf made;
  made.cluster = leaf.cluster->name;
  made.policy = leaf.cluster->lb_policy;
  made.endpoints = leaf.endpoints;
  if (const auto* dns = std::get_if<Cluster::LogicalDns>(&leaf.cluster->discovery)) {
    // The colons of an IPv6 address are no port.
    const bool is_ipv6 = absl::StrContains(dns->host, ":") && dns->host.front() != '[';
    made.dns_target =
        absl::StrCat("dns:///", is_ipv6 ? "[" : "", dns->host, is_ipv6 ? "]" : "", ":", dns->port);
  }
  made.note = leaf.resolution_note;
  return made;
}

}  // namespace

ClusterBalancer::ClusterBalancer(std::string cluster, LbTreeOptions options, ControlLoop& loop,
                                 SubchannelPool& pool, OnState on_state)
    : options_(std::move(options)),
      loop_(loop),
      pool_(pool),
      on_state_(std::move(on_state)),
      entrance_(std::make_shared<ClusterEntrance>(std::move(cluster), loop)) {}

void ClusterBalancer::Apply(const ClusterResult& config) {
  entrance_->is_in_error.store(!config.ok(), std::memory_order_release);
  if (!config.ok()) {
    ReleaseAll();
    Publish(Connectivity::kTransientFailure, FailingPicker(config.status()));
    return;
  }
  if (tree_ == nullptr) tree_ = std::make_unique<LbTree>(options_);
  LbConfigChanged changed;
  for (const LeafCluster& leaf : (*config)->leaves) changed.leaves.push_back(LeafOf(leaf));
  Tell(std::move(changed));
}

void ClusterBalancer::Close() {
  ReleaseAll();
  entrance_->is_closed.store(true, std::memory_order_release);
  entrance_->waiting.Retry();
}

void ClusterBalancer::ReleaseAll() {
  tree_ = nullptr;
  events_.clear();
  unpublished_.reset();
  for (const auto& [id, timer] : std::exchange(timers_, {})) loop_.CancelTimer(timer);
  for (const auto& [id, connection] : std::exchange(connections_, {})) {
    pool_.Leave(connection.subchannel, connection.listener);
  }
}

void ClusterBalancer::Tell(LbEvent event) {
  if (tree_ == nullptr) return;
  events_.push_back(std::move(event));
  if (is_handling_) return;
  is_handling_ = true;
  while (!events_.empty()) {
    const LbEvent next = std::move(events_.front());
    events_.pop_front();
    for (const LbEffect& effect : tree_->Handle(absl::Now(), next)) {
      std::visit([this](const auto& order) { Do(order); }, effect);
    }
  }
  is_handling_ = false;
  if (unpublished_.has_value()) {
    const PublishPicker order = *std::exchange(unpublished_, std::nullopt);
    Publish(order.state, order.picker);
  }
}

void ClusterBalancer::Do(const CreateSubchannel& order) {
  std::shared_ptr<Subchannel> subchannel = pool_.Get(order.slot->target);
  order.slot->connection = subchannel->channel();
  Connection& connection = connections_[order.slot->id];
  connection.subchannel = subchannel;
  connection.listener = subchannel->AddListener(
      [this, id = order.slot->id](Connectivity state, const absl::Status& why) {
        Tell(SubchannelStateChanged{id, state, why});
        // It may have been gone and back before anybody looked: no news for the tree, but calls
        // that found it gone are waiting.
        if (state == Connectivity::kReady) entrance_->waiting.Retry();
      });
}

void ClusterBalancer::Do(const ConnectSubchannel& order) {
  if (const auto found = connections_.find(order.subchannel); found != connections_.end()) {
    found->second.subchannel->Connect();
  }
}

void ClusterBalancer::Do(const ReleaseSubchannel& order) {
  const auto found = connections_.find(order.subchannel);
  if (found == connections_.end()) return;
  pool_.Leave(found->second.subchannel, found->second.listener);
  connections_.erase(found);
}

void ClusterBalancer::Do(const StartLbTimer& order) {
  timers_[order.timer] = loop_.StartTimer(order.after, [this, timer = order.timer] {
    timers_.erase(timer);
    Tell(LbTimerFired{timer});
  });
}

void ClusterBalancer::Do(const CancelLbTimer& order) {
  if (const auto found = timers_.find(order.timer); found != timers_.end()) {
    loop_.CancelTimer(found->second);
    timers_.erase(found);
  }
}

void ClusterBalancer::Do(const PublishPicker& order) { unpublished_ = order; }

void ClusterBalancer::Publish(Connectivity state, const std::shared_ptr<const Picker>& picker) {
  entrance_->picker.Set(picker);
  on_state_(std::exchange(state_, state), state);
  // Last: a call that leaves may be the end of the channel.
  const bool is_any_left = entrance_->waiting.Retry();
  if (is_any_left && state == Connectivity::kIdle) Connect();
}

}  // namespace holdfast
