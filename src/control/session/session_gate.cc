// Make before break (R1.45): a route that moves to a new cluster goes out when the client has the
// cluster and its endpoints, and the old cluster is taken away when the client has the route. What
// the client has, its answers tell; one that does not answer is not waited for longer than the gate
// is open.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "control/session/session_state.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

bool RefersToClusters(const std::string& type) {
  return type == kListenerTypeName || type == kRouteConfigTypeName;
}

bool IsReferredTo(const std::string& type) {
  return type == kClusterTypeName || type == kEndpointsTypeName;
}

}  // namespace

void Session::State::OpenGate() {
  gate_until_ = now_ + options_.gate;
  // Who had all the time of a gate for it will not.
  may_ask_for_endpoints_ = now_ < took_clusters_at_ + options_.gate;
  sent_in_gate_.clear();
}

bool Session::State::MustWait(const TypeState& type) const {
  if (now_ >= gate_until_ || type.is_urgent || !RefersToClusters(type.type)) return false;
  if (IsSettled(kClusterTypeName) && IsSettled(kEndpointsTypeName) && !AwaitsEndpoints()) {
    return false;
  }
  return !OnlyWithdraws(type);
}

// What there is none of refers to nothing.
bool Session::State::OnlyWithdraws(const TypeState& type) const {
  const TypeView& now = *view_->Of(type.type);
  if (type.is_behind && !now.resources().empty()) {
    const std::optional<TypeView::Step>& step = now.step();
    if (type.base == nullptr || !step.has_value() || step->before != type.base->hash() ||
        !step->changed->empty()) {
      return false;
    }
  }
  return absl::c_all_of(type.to_check,
                        [&now](const std::string& name) { return now.Find(name) == nullptr; });
}

void Session::State::NoteClustersTaken(const TypeState& type, const Offer& offer) {
  if (type.type != kClusterTypeName || offer.news == nullptr) return;
  if (took_clusters_at_ != absl::InfiniteFuture()) return;
  const bool have_endpoints = absl::c_any_of(*offer.news, [](const ResourcePtr& cluster) {
    return absl::c_any_of(cluster->children(), [](const ResourceKey& child) {
      return child.type == kEndpointsTypeName;
    });
  });
  if (have_endpoints) took_clusters_at_ = now_;
}

bool Session::State::MustNotTakeAway(const TypeState& type) const {
  if (!IsReferredTo(type.type)) return false;
  return std::any_of(types_.upper_bound(type.type), types_.end(), [this](const auto& later) {
    const TypeState& other = later.second;
    return (other.HasWork() && !other.only_takes_away) ||
           (now_ < gate_until_ && !other.unanswered.empty());
  });
}

bool Session::State::IsSettled(absl::string_view name) const {
  const auto type = types_.find(std::string(name));
  if (type == types_.end()) return true;
  const TypeState& state = type->second;
  return state.unanswered.empty() && (!state.HasWork() || state.only_takes_away);
}

// A client that was sent a cluster will ask for its endpoints, if it has not.
bool Session::State::AwaitsEndpoints() const {
  const auto type = types_.find(std::string(kEndpointsTypeName));
  const auto is_awaited = [&](const ResourceKey& child) {
    if (child.type != kEndpointsTypeName) return false;
    if (type == types_.end()) return may_ask_for_endpoints_;
    const auto named = type->second.names.find(child.name);
    if (named == type->second.names.end()) return true;
    return named->second.is_due && view_->Of(kEndpointsTypeName)->Find(child.name) != nullptr;
  };
  return absl::c_any_of(sent_in_gate_, [&](const ResourceList& parents) {
    return absl::c_any_of(*parents, [&](const ResourcePtr& parent) {
      return absl::c_any_of(parent->children(), is_awaited);
    });
  });
}

}  // namespace holdfast
