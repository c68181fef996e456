#include "channel/call/call_switch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "channel/call/call_chance.h"
#include "channel/call/data_plane_status.h"

namespace holdfast {
namespace {

Direction Failure(Direction::Kind kind, Door door, const absl::Status& why) {
  Direction direction;
  direction.kind = kind;
  direction.status = DataPlaneStatus(door, why);
  return direction;
}

Direction WaitFor(std::string what) {
  Direction direction;
  direction.waits_for = std::move(what);
  return direction;
}

// The two that follow are on the way of every call: no direction is moved there, only made.
Direction StartOn(const SubchannelSlot& slot, const ClusterEntrance& entrance,
                  std::optional<absl::Duration> longest) {
  auto channel = std::static_pointer_cast<grpc::Channel>(slot.connection);
  // A connection may have broken since the picker was made; the news is on its way.
  if (channel->GetState(false) != GRPC_CHANNEL_READY) {
    return WaitFor(absl::StrCat("cluster ", Quoted(entrance.cluster), ": the connection to ",
                                slot.target, " broke"));
  }
  return {.kind = Direction::Kind::kStart, .channel = std::move(channel), .longest = longest};
}

Direction PickAt(const ClusterEntrance& entrance, const RoutedCall& call,
                 std::optional<absl::Duration> longest) {
  return entrance.picker.Read([&](const Picker& picker) {
    const PickResult pick = picker.Pick(call, RandomBelow);
    switch (pick.kind) {
      case PickResult::Kind::kComplete:
        break;
      case PickResult::Kind::kQueue:
        return WaitFor(
            absl::StrCat("cluster ", Quoted(entrance.cluster), ": no endpoint is connected yet"));
      case PickResult::Kind::kFail:
        return Failure(Direction::Kind::kFail, Door::kPick, pick.status);
      case PickResult::Kind::kDrop:
        return Failure(Direction::Kind::kDrop, Door::kPick, pick.status);
    }
    return StartOn(*pick.subchannel, entrance, longest);
  });
}

bool MayWait(Direction::Kind kind) {
  return kind == Direction::Kind::kWait || kind == Direction::Kind::kFail;
}

bool IsInError(const ClusterEntrance& entrance) {
  return entrance.is_in_error.load(std::memory_order_acquire);
}

// Where the call may have to wait, it has a place there; unless it had better choose anew.
Direction PickOrWaitAt(const std::shared_ptr<ClusterEntrance>& entrance, const RoutedCall& call,
                       std::optional<absl::Duration> longest,
                       std::shared_ptr<WaitingPlace>& place) {
  Direction direction = PickAt(*entrance, call, longest);
  if (MayWait(direction.kind)) {
    if (!IsInError(*entrance)) place = std::make_shared<ClusterPlace>(entrance, longest);
    direction.longest = longest;
  }
  return direction;
}

}  // namespace

CallSwitch::CallSwitch(std::string target, ControlLoop& loop)
    : target_(std::move(target)), routing_(std::make_shared<const Routing>()), waiting_(loop) {}

void CallSwitch::Publish(std::shared_ptr<const Routing> routing) {
  routing_.Set(routing);
  waiting_.Retry();
}

Direction CallSwitch::Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) const {
  if (const auto* kept = static_cast<const ClusterPlace*>(place.get()); kept != nullptr) {
    if (!kept->entrance->is_closed.load(std::memory_order_acquire)) {
      Direction direction = PickAt(*kept->entrance, call, kept->longest);
      if (MayWait(direction.kind) && IsInError(*kept->entrance)) place = nullptr;
      return direction;
    }
    place = nullptr;
  }
  return routing_.Read([&](const Routing& routing) {
    if (routing.selector == nullptr) {
      if (!routing.failure.has_value()) {
        return WaitFor(
            absl::StrCat("target ", Quoted(target_), ": its configuration has not come yet"));
      }
      return Failure(Direction::Kind::kFail, Door::kResolver, *routing.failure);
    }
    const RouteChoice choice = routing.selector->Choose(call, RandomBelow);
    if (choice.failure.has_value()) {
      return Failure(
          Direction::Kind::kFail, Door::kConfigSelector,
          absl::Status(choice.failure->code(),
                       absl::StrCat("target ", Quoted(target_), ": ", choice.failure->message(),
                                    " (", routing.note, ")")));
    }
    return PickOrWaitAt(routing.entrances[choice.cluster], call, choice.longest, place);
  });
}

}  // namespace holdfast
