// Where the calls of a channel go, by the newest configuration: the half of a channel that calls
// meet, on their own threads.
//
//   routing ──Choose──▶ entrance of a cluster ──Pick──▶ connection ── READY? ──▶ kStart
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "channel/call/call_director.h"
#include "channel/call/cluster_entrance.h"
#include "channel/call/sharded_value.h"
#include "channel/call/waiting_list.h"
#include "channel/routing/config_selector.h"
#include "runtime/control_loop.h"

namespace holdfast {

struct Routing {
  // Null: nothing is known yet, or nothing can be used.
  std::shared_ptr<const ConfigSelector> selector;
  std::vector<std::shared_ptr<ClusterEntrance>> entrances;  // what the selector chooses from
  std::string note;                     // what a call quotes for which there is no route
  std::optional<absl::Status> failure;  // why there is no selector; none: not yet
};

// A call that waits keeps the cluster it has chosen, as long as there is one.
class ClusterPlace final : public WaitingPlace {
 public:
  ClusterPlace(std::shared_ptr<ClusterEntrance> chosen, std::optional<absl::Duration> cap)
      : entrance(std::move(chosen)), longest(cap) {}
  ~ClusterPlace() override {
    if (on_left) on_left();
  }

  const std::shared_ptr<ClusterEntrance> entrance;
  const std::optional<absl::Duration> longest;
  std::function<void()> on_left;  // set while the cluster is held for this call
};

// Thread-safe.
class CallSwitch {
 public:
  // `target` is for texts.
  CallSwitch(std::string target, ControlLoop& loop);

  Direction Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) const;

  void Publish(std::shared_ptr<const Routing> routing);

  // Those that wait for any routing at all, or, failing now, for a better one, or for a cluster
  // that cannot be had.
  WaitingList& waiting() { return waiting_; }

 private:
  const std::string target_;
  ShardedValue<Routing> routing_;
  WaitingList waiting_;
};

}  // namespace holdfast
