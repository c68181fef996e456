#include "channel/lb/endpoint_group.h"

#include <algorithm>
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
  const bool is_same_policy = is_configured_ && config.policy == config_.policy;
  const bool connects_alike = is_same_policy && config.when_broken == config_.when_broken;
  const bool is_same_list = connects_alike && endpoints == endpoints_;
  if (is_same_list) return SetWords(config.words);
  // A pick_first and a policy with a connection an endpoint have no connections in common.
  ConnectionList::Connections gone;
  if (!connects_alike && (IsPickFirst(config.policy) || IsPickFirst(config_.policy))) {
    gone = current_.Take();
    for (auto& replaced : replaced_.Take()) gone.push_back(std::move(replaced));
    last_failed_ = nullptr;
  }
  config_ = config;
  if (!is_same_policy) {
    custom_ = nullptr;
    if (const auto* custom = std::get_if<CustomLb>(&config.policy.policy)) {
      custom_ = CustomPolicy::Create(*custom, orders.options());
    }
  }
  UpdateConnections(endpoints, orders);
  for (const auto& connection : gone) connection->Release(orders);
  endpoints_ = endpoints;
  See(endpoints);
  is_configured_ = true;
  staleness_.Mark();
}

void EndpointGroup::SetWords(const PolicyWords& words) {
  if (words == config_.words) return;
  config_.words = words;
  staleness_.Mark();
}

void EndpointGroup::UpdateConnections(const std::vector<EndpointSpec>& endpoints,
                                      LbOrders& orders) {
  const bool is_pick_first = IsPickFirst(config_.policy);
  const auto when_broken = is_pick_first ? config_.when_broken : PickFirst::WhenBroken::kReconnect;
  Known known;
  for (ConnectionList* list : {&current_, &replaced_}) {  // What was replaced may be back.
    for (auto& connection : list->Take()) {
      Targets targets = connection->targets();
      known.emplace(std::move(targets), std::move(connection));
    }
  }
  lost_.clear();
  std::set<Targets> listed;
  ConnectionList::Connections wanted;
  for (Targets& targets : WantedConnections(endpoints, orders)) {
    if (listed.count(targets) > 0) continue;  // Listed twice: still one endpoint.
    const auto found = FindKnown(known, targets);
    if (found != known.end()) {
      wanted.push_back(std::move(found->second));
      known.erase(found);
    } else {
      wanted.push_back(std::make_unique<PickFirst>(when_broken));
    }
    PickFirst& connection = *wanted.back();
    const Connectivity before = connection.state();
    connection.SetTargets(targets, orders);
    const bool has_failed = connection.state() == Connectivity::kTransientFailure;
    if (has_failed && connection.state() != before) last_failed_ = &connection;
    listed.insert(std::move(targets));
  }
  current_.Fill(std::move(wanted));
  ConnectionList::Connections replaced;
  for (auto& [targets, connection] : known) {
    if (NeedsReplaced() && connection->state() == Connectivity::kReady) {
      replaced.push_back(std::move(connection));
    } else {
      LetGo(std::move(connection), orders);
    }
  }
  replaced_.Fill(std::move(replaced));
}

EndpointGroup::Known::iterator EndpointGroup::FindKnown(Known& known,
                                                        const Targets& targets) const {
  if (!IsPickFirst(config_.policy)) return known.find(targets);
  auto found = known.end();
  for (auto each = known.begin(); each != known.end(); ++each) {
    const std::shared_ptr<const SubchannelSlot> ready = each->second->ready();
    if (ready == nullptr) {
      found = each;
    } else if (std::count(targets.begin(), targets.end(), ready->target) > 0) {
      return each;
    }
  }
  return found;
}

bool EndpointGroup::NeedsReplaced() const {
  return !current_.empty() && *custom_ == nullptr && Aggregate() == Connectivity::kConnecting;
}

void EndpointGroup::LetGoOfReplaced(LbOrders& orders) {
  if (NeedsReplaced()) {
    for (size_t place : lost_) LetGo(replaced_.TakeAt(place), orders);
  } else if (!replaced_.empty()) {
    for (auto& connection : replaced_.Take()) LetGo(std::move(connection), orders);
  }
  lost_.clear();
}

void EndpointGroup::LetGo(std::unique_ptr<PickFirst> connection, LbOrders& orders) {
  if (last_failed_ == connection.get()) last_failed_ = nullptr;
  connection->Release(orders);
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

void EndpointGroup::See(const std::vector<EndpointSpec>& endpoints) {
  seen_.clear();
  is_seen_new_ = true;
  if (!custom_.ok() || *custom_ == nullptr) return;
  std::set<Targets> listed;
  for (const EndpointSpec& endpoint : endpoints) {
    if (!listed.insert(endpoint.targets).second) continue;
    LbEndpoint& seen = seen_.emplace_back();
    seen.addresses = endpoint.addresses;
    seen.hostname = endpoint.hostname;
    seen.weight = endpoint.weight;
    SeeState(seen_.size() - 1);
  }
}

void EndpointGroup::SeeState(size_t place) {
  LbEndpoint& seen = seen_[place];
  const PickFirst& connection = current_.at(place);
  const LbEndpoint::State state = SeenState(connection.state());
  const bool has_failed = state == LbEndpoint::State::kFailed;
  const absl::Status failure = has_failed ? connection.failure() : absl::OkStatus();
  if (state == seen.state && failure == seen.failure) return;
  seen.state = state;
  seen.failure = failure;
  is_seen_new_ = true;
}

void EndpointGroup::Release(LbOrders& orders) {
  for (ConnectionList* list : {&current_, &replaced_}) {
    for (auto& connection : list->Take()) LetGo(std::move(connection), orders);
  }
  lost_.clear();
}

void EndpointGroup::OnConnectionChanged(const ConnectionList& list, size_t place) {
  const PickFirst& connection = list.at(place);
  if (connection.state() == Connectivity::kTransientFailure) last_failed_ = &connection;
  if (&list == &replaced_) {
    if (connection.state() != Connectivity::kReady) lost_.insert(place);
  } else if (!seen_.empty()) {
    SeeState(place);
  }
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
  if (current_.empty()) return {kFailed, Fail(config_.words.Failure("it has no endpoints"))};
  const Connectivity state = Aggregate();
  if (*custom_ != nullptr) {
    const bool is_new = std::exchange(is_seen_new_, false);
    return {state, (*custom_)->PickerFor(seen_, is_new, current_.ready(), config_.words, orders)};
  }
  if (!replaced_.empty()) return {Connectivity::kReady, Among(replaced_.ready(), orders)};
  switch (state) {
    case Connectivity::kReady:
      return {state, Among(current_.ready(), orders)};
    case Connectivity::kTransientFailure:
      return {state, Unreachable()};
    case Connectivity::kIdle:
    case Connectivity::kConnecting:
      break;
  }
  return {state, QueuePicker()};
}

Connectivity EndpointGroup::Aggregate() const {
  return IsPickFirst(config_.policy) ? current_.at(0).state() : current_.Aggregate();
}

std::shared_ptr<const Picker> EndpointGroup::Among(const ReadySlots& slots,
                                                   LbOrders& orders) const {
  // The picker there is knows whose turn it is.
  if (IsPickFirst(config_.policy)) {
    const auto* current = dynamic_cast<const PickFirstPicker*>(balance_.picker.get());
    if (current != nullptr && current->slot() == slots.At(0)) return balance_.picker;
    return std::make_shared<const PickFirstPicker>(slots.At(0));
  }
  const auto* current = dynamic_cast<const RoundRobinPicker*>(balance_.picker.get());
  if (current != nullptr && current->slots() == slots) return balance_.picker;
  const auto start = static_cast<uint32_t>(orders.NextRandom() % slots.weight());
  return std::make_shared<const RoundRobinPicker>(slots, start, orders.options().make_turns());
}

std::shared_ptr<const Picker> EndpointGroup::Unreachable() const {
  const PickFirst* quoted = last_failed_ == nullptr ? &current_.back() : last_failed_;
  return Fail(config_.words.Failure(
      absl::StrCat("no endpoint can be reached; last error: ", quoted->failure().message())));
}

std::shared_ptr<const Picker> EndpointGroup::Fail(const absl::Status& why) const {
  const auto* current = dynamic_cast<const FailPicker*>(balance_.picker.get());
  if (current != nullptr && current->why() == why) return balance_.picker;
  return std::make_shared<const FailPicker>(why);
}

}  // namespace holdfast
