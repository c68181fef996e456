// One channel: keeps its configuration, its clusters and their connections, and tells calls where
// to go.
//
//   loop thread   dependency manager, load balancing, connections, watches
//   any thread    Direct, Wait: what calls ask (call_switch.h)
//
// Does nothing until it is first used. Decisions are those of channel/config, routing and lb.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "channel/call/call_switch.h"
#include "channel/call/channel_state.h"
#include "channel/call/cluster_balancer.h"
#include "channel/call/resource_watches.h"
#include "channel/call/subchannel_pool.h"
#include "channel/config/dependency_manager.h"
#include "client/client_core.h"
#include "holdfast/grpc/channel.h"
#include "holdfast/xds/log.h"
#include "runtime/control_loop.h"

namespace holdfast {

struct ChannelParts {
  DependencyOptions names;
  std::shared_ptr<XdsClient> client;
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  ChannelOptions options;
  std::shared_ptr<ChannelState> state;
  LogSink* log;  // outlives the channel
};

class ChannelCore final : public std::enable_shared_from_this<ChannelCore>, public StopListener {
 public:
  explicit ChannelCore(ChannelParts parts);
  ~ChannelCore() override;
  ChannelCore(const ChannelCore&) = delete;
  ChannelCore& operator=(const ChannelCore&) = delete;

  // Any thread.
  Direction Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place);
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  void Wait(std::weak_ptr<WaitingCall> call, const std::shared_ptr<WaitingPlace>& place);
  // Somebody wants a connection, without a call.
  void Connect();
  // Ends the watches and connections; calls under way go on. Keeps this alive as long as the loop
  // may use it.
  void Shutdown();
  // Calls that wait end, as nobody else would end them: not even their deadlines.
  void OnStopped() override;

 private:
  void AddTo(WaitingList& list, std::weak_ptr<WaitingCall> call);

  // The rest: on the loop thread.
  void StartOnce();
  void Tell(DependencyEvent event);
  void Carry(const DependencyEffects& effects);
  void Do(const WatchResource& order);
  void Do(const UnwatchResource& order);
  void Do(const ApplyConfig& order);
  void Do(const FailCalls& order);
  void Route(const RoutingConfig& routing);
  void Publish(std::shared_ptr<const Routing> routing);
  ClusterBalancer& BalancerOf(const std::string& cluster);
  void Remove(const std::string& cluster);
  void OnClusterState(Connectivity from, Connectivity to);
  void ShowState();
  // Calls that went away while they waited are forgotten within a second.
  void PruneLater();
  void End();

  const ChannelParts parts_;
  const std::shared_ptr<ClientCore> client_;
  ControlLoop& loop_;
  CallSwitch switch_;
  std::atomic<uint64_t> changes_ = 0;  // of routing and pickers

  bool is_over_ = false;
  DependencyManager dependencies_;
  std::unique_ptr<ResourceWatches> watches_;  // from the first use on
  SubchannelPool pool_;
  std::map<std::string, std::unique_ptr<ClusterBalancer>> balancers_;
  std::array<size_t, 4> clusters_in_state_{};  // by Connectivity
  bool is_failed_ = false;                     // nothing is configured, and why is known
  bool is_pruning_ = false;
  std::shared_ptr<const Routing> routing_ = std::make_shared<const Routing>();  // published last
  std::string routing_note_;
  std::set<std::string> said_;  // what is not enforced, once each
};

}  // namespace holdfast
