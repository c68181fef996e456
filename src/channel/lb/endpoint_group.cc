#include "channel/lb/endpoint_group.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

bool IsPickFirst(const LbPolicy& policy) {
  return std::holds_alternative<PickFirstLb>(policy.policy);
}

// Nullptr: this build has it.
const char* MissingPolicy(const LbPolicy& policy) {
  if (std::holds_alternative<RingHashLb>(policy.policy)) return "ring_hash";
  if (std::holds_alternative<LeastRequestLb>(policy.policy)) return "least_request";
  return nullptr;
}

LbEndpoint::State SeenState(Connectivity state) {
  switch (state) {
    case Connectivity::kReady:
      return LbEndpoint::State::kReady;
    case Connectivity::kTransientFailure:
      return LbEndpoint::State::kFailed;
    case Connectivity::kIdle:
    case Connectivity::kConnecting:
      break;
  }
  return LbEndpoint::State::kConnecting;
}

}  // namespace

void EndpointGroup::Update(const Config& config, const std::vector<EndpointSpec>& endpoints,
                           LbOrders& orders) {
  if (is_configured_ && config == config_ && endpoints == endpoints_) return;
  const bool connects_alike = is_configured_ && config.policy == config_.policy &&
                              config.when_broken == config_.when_broken;
  const bool is_same_policy = is_configured_ && config.policy == config_.policy;
  // A pick_first and a policy with a connection an endpoint have no connections in common.
  Connections gone;
  if (!connects_alike && (IsPickFirst(config.policy) || IsPickFirst(config_.policy))) {
    gone.swap(connections_);
    gone.merge(replaced_);
    last_failed_ = nullptr;
  }
  config_ = config;
  if (!is_same_policy) {
    custom_ = nullptr;
    if (const auto* custom = std::get_if<CustomLb>(&config.policy.policy)) {
      custom_ = CustomPolicy::Create(*custom, orders.options());
    }
  }
  if (!is_configured_ || !connects_alike || endpoints != endpoints_) {
    UpdateConnections(endpoints, orders);
  }
  for (auto& [targets, connection] : gone) connection->Release(orders);
  endpoints_ = endpoints;
  UpdateSeen(endpoints);
  is_configured_ = true;
  staleness_.Mark();
}

void EndpointGroup::UpdateConnections(const std::vector<EndpointSpec>& endpoints,
                                      LbOrders& orders) {
  const bool is_pick_first = IsPickFirst(config_.policy);
  const auto when_broken = is_pick_first ? config_.when_broken : PickFirst::WhenBroken::kReconnect;
  Connections before;
  before.swap(connections_);
  before.merge(replaced_);  // They may be back.
  in_order_.clear();
  for (Targets& targets : WantedConnections(endpoints, orders)) {
    if (connections_.count(targets) > 0) continue;  // Listed twice: still one endpoint.
    const auto known = FindKnown(before, targets);
    std::unique_ptr<PickFirst> connection;
    if (known != before.end()) {
      connection = std::move(known->second);
      before.erase(known);
    } else {
      PickFirst::Parent& parent = *this;
      connection = std::make_unique<PickFirst>(when_broken, parent);
    }
    connection->SetTargets(targets, orders);
    in_order_.push_back(connection.get());
    connections_.emplace(std::move(targets), std::move(connection));
  }
  replaced_.swap(before);
  LetGoOfReplaced(orders);
}

EndpointGroup::Connections::iterator EndpointGroup::FindKnown(Connections& before,
                                                              const Targets& targets) const {
  if (!IsPickFirst(config_.policy)) return before.find(targets);
  auto known = before.end();
  for (auto each = before.begin(); each != before.end(); ++each) {
    const std::shared_ptr<const SubchannelSlot> ready = each->second->ready();
    if (ready == nullptr) {
      known = each;
    } else if (std::count(targets.begin(), targets.end(), ready->target) > 0) {
      return each;
    }
  }
  return known;
}

bool EndpointGroup::NeedsReplaced() const {
  return !in_order_.empty() && *custom_ == nullptr && Aggregate() == Connectivity::kConnecting;
}

void EndpointGroup::LetGoOfReplaced(LbOrders& orders) {
  const bool are_needed = NeedsReplaced();
  for (auto each = replaced_.begin(); each != replaced_.end();) {
    const auto next = std::next(each);
    if (!are_needed || each->second->state() != Connectivity::kReady) LetGo(each, orders);
    each = next;
  }
}

void EndpointGroup::LetGo(Connections::iterator replaced, LbOrders& orders) {
  if (last_failed_ == replaced->second.get()) last_failed_ = nullptr;
  replaced->second->Release(orders);
  replaced_.erase(replaced);
}

std::vector<EndpointGroup::Targets> EndpointGroup::WantedConnections(
    const std::vector<EndpointSpec>& endpoints, LbOrders& orders) const {
  std::vector<Targets> wanted;
  if (MissingPolicy(config_.policy) != nullptr || !custom_.ok()) return wanted;
  for (const EndpointSpec& endpoint : endpoints) wanted.push_back(endpoint.targets);
  const auto* pick_first = std::get_if<PickFirstLb>(&config_.policy.policy);
  if (pick_first == nullptr || wanted.empty()) return wanted;
  if (pick_first->shuffle_address_list) {
    for (size_t i = wanted.size(); i > 1; --i) {
      std::swap(wanted[i - 1], wanted[orders.NextRandom() % i]);
    }
  }
  Targets all;
  for (const Targets& targets : wanted) all.insert(all.end(), targets.begin(), targets.end());
  return {InterleaveFamilies(all)};
}

void EndpointGroup::UpdateSeen(const std::vector<EndpointSpec>& endpoints) {
  seen_.clear();
  if (!std::holds_alternative<CustomLb>(config_.policy.policy)) return;
  std::set<Targets> listed;
  for (const EndpointSpec& endpoint : endpoints) {
    if (!listed.insert(endpoint.targets).second) continue;
    LbEndpoint& seen = seen_.emplace_back();
    seen.addresses = endpoint.addresses;
    seen.hostname = endpoint.hostname;
    seen.weight = endpoint.weight;
  }
}

void EndpointGroup::Connect(LbOrders& orders) {
  for (auto& [targets, connection] : connections_) connection->Connect(orders);
}

void EndpointGroup::Release(LbOrders& orders) {
  for (auto& [targets, connection] : connections_) connection->Release(orders);
  connections_.clear();
  in_order_.clear();
  last_failed_ = nullptr;
  LetGoOfReplaced(orders);
}

void EndpointGroup::OnConnectionChanged(const PickFirst& connection) {
  if (connection.state() == Connectivity::kTransientFailure) last_failed_ = &connection;
  staleness_.Mark();
}

const Balance& EndpointGroup::Refresh(LbOrders& orders) {
  if (staleness_.is_stale) {
    LetGoOfReplaced(orders);
    balance_ = Decide(orders);
  }
  staleness_.is_stale = false;
  return balance_;
}

Balance EndpointGroup::Decide(LbOrders& orders) {
  constexpr Connectivity kFailed = Connectivity::kTransientFailure;
  if (const char* missing = MissingPolicy(config_.policy)) {
    return {kFailed,
            Fail(config_.words.Failure(absl::StrCat("load balancing policy ", missing,
                                                    " is not yet supported by this build")))};
  }
  if (!custom_.ok()) return {kFailed, Fail(config_.words.Failure(custom_.status().message()))};
  if (in_order_.empty()) return {kFailed, Fail(config_.words.Failure("it has no endpoints"))};
  if (*custom_ != nullptr) return DecideCustom(orders);
  Slots slots;
  for (const auto& [targets, connection] : replaced_) slots.push_back(connection->ready());
  if (!slots.empty()) return {Connectivity::kReady, Among(std::move(slots), orders)};
  const Connectivity state = Aggregate();
  switch (state) {
    case Connectivity::kReady:
      for (const PickFirst* connection : in_order_) {
        if (auto slot = connection->ready()) slots.push_back(std::move(slot));
      }
      return {state, Among(std::move(slots), orders)};
    case Connectivity::kTransientFailure:
      return {state, Unreachable()};
    case Connectivity::kIdle:
    case Connectivity::kConnecting:
      break;
  }
  return {state, QueuePicker()};
}

Balance EndpointGroup::DecideCustom(LbOrders& orders) {
  Slots slots;
  slots.reserve(in_order_.size());
  for (size_t i = 0; i < in_order_.size(); ++i) {
    slots.push_back(in_order_[i]->ready());
    seen_[i].state = SeenState(in_order_[i]->state());
    const bool has_failed = seen_[i].state == LbEndpoint::State::kFailed;
    seen_[i].failure = has_failed ? in_order_[i]->failure() : absl::OkStatus();
  }
  return {Aggregate(),
          (*custom_)->MakePicker(seen_, std::move(slots), config_.words, orders.NextSerial())};
}

Connectivity EndpointGroup::Aggregate() const {
  if (IsPickFirst(config_.policy)) return in_order_.front()->state();
  bool is_any_trying = false;
  for (const PickFirst* connection : in_order_) {
    if (connection->state() == Connectivity::kReady) return Connectivity::kReady;
    is_any_trying |= connection->state() != Connectivity::kTransientFailure;
  }
  return is_any_trying ? Connectivity::kConnecting : Connectivity::kTransientFailure;
}

std::shared_ptr<const Picker> EndpointGroup::Among(Slots slots, LbOrders& orders) const {
  // The picker there is knows whose turn it is.
  if (IsPickFirst(config_.policy)) {
    const auto* current = dynamic_cast<const PickFirstPicker*>(balance_.picker.get());
    if (current != nullptr && current->slot() == slots.front()) return balance_.picker;
    return std::make_shared<const PickFirstPicker>(std::move(slots.front()));
  }
  const auto* current = dynamic_cast<const RoundRobinPicker*>(balance_.picker.get());
  if (current != nullptr && current->slots() == slots) return balance_.picker;
  const size_t start = orders.NextRandom() % slots.size();
  return std::make_shared<const RoundRobinPicker>(std::move(slots), start,
                                                  orders.options().make_turns());
}

std::shared_ptr<const Picker> EndpointGroup::Unreachable() const {
  const PickFirst* quoted = last_failed_ == nullptr ? in_order_.back() : last_failed_;
  return Fail(config_.words.Failure(
      absl::StrCat("no endpoint can be reached; last error: ", quoted->failure().message())));
}

std::shared_ptr<const Picker> EndpointGroup::Fail(const absl::Status& why) const {
  const auto* current = dynamic_cast<const FailPicker*>(balance_.picker.get());
  if (current != nullptr && current->why() == why) return balance_.picker;
  return std::make_shared<const FailPicker>(why);
}

}  // namespace holdfast
