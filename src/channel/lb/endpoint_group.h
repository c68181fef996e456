// Endpoints with one policy that chooses among them: those of a locality, or of a whole priority.
//
//   round_robin, user's policy   one PickFirst an endpoint, always connected or trying
//   pick_first                   one PickFirst for all addresses
//
// What always holds:
// 1. An endpoint that stays keeps its connection, whatever comes and goes around it.
// 2. Endpoints that were replaced serve as long as those in their place have neither connected nor
//    failed, all of them; then they get no more calls. (Not for a user's policy, which sees the
//    endpoints there are.)
// 3. Every failure of a policy here ends with the note (gRFC A88).
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/lb/connection_list.h"
#include "channel/lb/custom_policy.h"
#include "channel/lb/lb_orders.h"
#include "channel/lb/lb_spec.h"
#include "channel/lb/pick_first.h"
#include "channel/lb/pickers.h"
#include "channel/lb/policy_words.h"

namespace holdfast {

class EndpointGroup final : ConnectionList::Parent {
 public:
  explicit EndpointGroup(Staleness& parent) : staleness_(&parent) {}
  EndpointGroup(const EndpointGroup&) = delete;
  EndpointGroup& operator=(const EndpointGroup&) = delete;

  struct Config {
    LbPolicy policy;  // one that chooses among endpoints
    PolicyWords words;
    PickFirst::WhenBroken when_broken;  // of pick_first; all others reconnect
  };
  void Update(const Config& config, const std::vector<EndpointSpec>& endpoints, LbOrders& orders);
  // As an Update that changes nothing else.
  void SetWords(const PolicyWords& words);
  // What the parent knows it by.
  void SetPlace(size_t place) { staleness_.place = place; }
  // What is IDLE.
  void Connect(LbOrders& orders) { current_.Connect(orders); }
  void Release(LbOrders& orders);

  const Balance& Refresh(LbOrders& orders);
  const Balance& balance() const { return balance_; }

 private:
  using Targets = std::vector<std::string>;
  using Known = std::multimap<Targets, std::unique_ptr<PickFirst>>;

  void OnConnectionChanged(const ConnectionList& list, size_t place) override;

  void UpdateConnections(const std::vector<EndpointSpec>& endpoints, LbOrders& orders);
  // For every endpoint of the list its targets; for pick_first one list, of all.
  std::vector<Targets> WantedConnections(const std::vector<EndpointSpec>& endpoints,
                                         LbOrders& orders) const;
  // That has, or may get, one of these targets; or the end.
  Known::iterator FindKnown(Known& known, const Targets& targets) const;
  void See(const std::vector<EndpointSpec>& endpoints);
  void SeeState(size_t place);
  // Whether what was replaced is all that works.
  bool NeedsReplaced() const;
  void LetGoOfReplaced(LbOrders& orders);
  void LetGo(std::unique_ptr<PickFirst> connection, LbOrders& orders);

  Balance Decide(LbOrders& orders);
  Connectivity Aggregate() const;
  std::shared_ptr<const Picker> Among(const ReadySlots& slots, LbOrders& orders) const;
  std::shared_ptr<const Picker> Unreachable() const;
  std::shared_ptr<const Picker> Fail(const absl::Status& why) const;

  Staleness staleness_;
  Config config_;
  bool is_configured_ = false;
  std::vector<EndpointSpec> endpoints_;
  ConnectionList current_{*this};   // in the endpoints' order
  ConnectionList replaced_{*this};  // READY, each of them, but for those of lost_
  std::set<size_t> lost_;           // of replaced_, since the last refresh
  const PickFirst* last_failed_ = nullptr;
  // Of a user's policy only.
  absl::StatusOr<std::unique_ptr<CustomPolicy>> custom_ = nullptr;
  std::vector<LbEndpoint> seen_;
  bool is_seen_new_ = false;  // since it was asked
  Balance balance_;
};

}  // namespace holdfast
