#include "channel/lb/connection_list.h"

#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

ReadySlots::Place PlaceOf(std::shared_ptr<const SubchannelSlot> slot) {
  const uint32_t weight = slot == nullptr ? 0 : 1;
  return {weight, std::move(slot)};
}

}  // namespace

void ConnectionList::Fill(Connections connections) {
  HOLDFAST_CHECK(empty());
  connections_ = std::move(connections);
  left_ = connections_.size();
  counted_.clear();
  counts_ = {};
  std::vector<ReadySlots::Place> ready;
  for (size_t place = 0; place < connections_.size(); ++place) {
    PickFirst& connection = *connections_[place];
    connection.SetParent(this, place);
    ++CountOf(counted_.emplace_back(connection.state()));
    ready.push_back(PlaceOf(connection.ready()));
  }
  ready_ = ReadySlots(std::move(ready));
}

ConnectionList::Connections ConnectionList::Take() {
  Connections taken;
  for (std::unique_ptr<PickFirst>& connection : connections_) {
    if (connection == nullptr) continue;
    connection->SetParent(nullptr, 0);
    taken.push_back(std::move(connection));
  }
  left_ = 0;
  Fill({});
  return taken;
}

std::unique_ptr<PickFirst> ConnectionList::TakeAt(size_t place) {
  --left_;
  --CountOf(counted_[place]);
  if (ready_.Item(place) != nullptr) ready_.Set(place, {});
  connections_[place]->SetParent(nullptr, 0);
  return std::move(connections_[place]);
}

void ConnectionList::Connect(LbOrders& orders) {
  for (const std::unique_ptr<PickFirst>& connection : connections_) {
    if (connection != nullptr) connection->Connect(orders);
  }
}

Connectivity ConnectionList::Aggregate() const {
  if (CountOf(Connectivity::kReady) > 0) return Connectivity::kReady;
  return CountOf(Connectivity::kTransientFailure) < left_ ? Connectivity::kConnecting
                                                          : Connectivity::kTransientFailure;
}

void ConnectionList::OnConnectionChanged(size_t place) {
  const PickFirst& connection = *connections_[place];
  --CountOf(counted_[place]);
  counted_[place] = connection.state();
  ++CountOf(counted_[place]);
  std::shared_ptr<const SubchannelSlot> slot = connection.ready();
  if (slot != ready_.Item(place)) ready_.Set(place, PlaceOf(std::move(slot)));
  parent_.OnConnectionChanged(*this, place);
}

}  // namespace holdfast
