// Runs the load balancing of one cluster: turns the world into events for its tree, and carries out
// what the tree orders.
//
// On the loop thread only. Decisions are the tree's (channel/lb).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "channel/call/cluster_entrance.h"
#include "channel/call/subchannel_pool.h"
#include "channel/config/xds_config.h"
#include "channel/lb/lb_tree.h"
#include "runtime/control_loop.h"

namespace holdfast {

class ClusterBalancer {
 public:
  // Told of every new picker, and of the states of the cluster: from, to.
  using OnState = std::function<void(Connectivity from, Connectivity to)>;

  ClusterBalancer(std::string cluster, LbTreeOptions options, ControlLoop& loop,
                  SubchannelPool& pool, OnState on_state);
  ClusterBalancer(const ClusterBalancer&) = delete;
  ClusterBalancer& operator=(const ClusterBalancer&) = delete;

  void Apply(const ClusterResult& config);
  // Somebody waits for a connection, or asked for one.
  void Connect() { Tell(ConnectionWanted{}); }
  // Lets go of everything. Without it, whatever is left ends with the process.
  void Close();

  Connectivity state() const { return state_; }
  const std::shared_ptr<ClusterEntrance>& entrance() const { return entrance_; }

 private:
  struct Connection {
    std::shared_ptr<Subchannel> subchannel;
    Subchannel::ListenerId listener;
  };

  // Events that come while one is handled wait their turn.
  void Tell(LbEvent event);
  void Do(const CreateSubchannel& order);
  void Do(const ConnectSubchannel& order);
  void Do(const ReleaseSubchannel& order);
  void Do(const StartLbTimer& order);
  void Do(const CancelLbTimer& order);
  void Do(const PublishPicker& order);
  void Publish(Connectivity state, const std::shared_ptr<const Picker>& picker);
  void ReleaseAll();

  const LbTreeOptions options_;
  ControlLoop& loop_;
  SubchannelPool& pool_;
  const OnState on_state_;
  const std::shared_ptr<ClusterEntrance> entrance_;
  std::unique_ptr<LbTree> tree_;  // null while the cluster is in error
  std::deque<LbEvent> events_;
  bool is_handling_ = false;
  std::optional<PublishPicker> unpublished_;
  std::map<SubchannelId, Connection> connections_;
  std::map<LbTimerId, ControlLoop::LoopTimerId> timers_;
  Connectivity state_ = Connectivity::kConnecting;
};

}  // namespace holdfast
