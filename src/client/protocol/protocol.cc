#include "client/protocol/protocol.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error_detail.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "client/protocol/error_policy.h"
#include "client/protocol/protocol_state.h"
#include "client/protocol/watcher_news.h"
#include "xds/resource_name.h"

namespace holdfast {

Protocol::Protocol(ProtocolOptions options)
    : state_(std::make_unique<ProtocolState>(std::move(options))) {}

Protocol::~Protocol() = default;

Effects Protocol::Handle(absl::Time now, const Event& event) {
  Turn turn{.now = now};
  std::visit([&](const auto& its_kind) { state_->On(its_kind, turn); }, event);
  return std::move(turn.effects);
}

ClientSnapshot Protocol::Snapshot() const { return state_->Snapshot(); }

const AnyResourceType* Protocol::TypeNamed(absl::string_view type_name) const {
  const SubscribedType* const known = state_->FindType(type_name);
  return known == nullptr ? nullptr : &known->type;
}

ProtocolState::ProtocolState(ProtocolOptions options)
    : options_(std::move(options)),
      errors_(options_.server_uri, options_.node.id),
      resource_timers_(timer_ids_),
      backoff_(options_.first_backoff, options_.longest_backoff, options_.seed) {}

void ProtocolState::On(const WatchStarted& event, Turn& turn) {
  HOLDFAST_CHECK(!watches_.contains(event.watch));
  absl::Status status = CheckType(*event.type);
  status.Update(CheckName(*event.type, event.name));
  if (!status.ok()) {
    turn.Order(
        DeliverError{event.watch, errors_.BadName(*event.type, event.name, status, turn.now)});
    return;
  }
  // What was wrong when the last watcher left is no news of now, unless it is what keeps us from
  // trying.
  if (watches_.empty() && turn.now >= not_before_) server_.Recover();
  SubscribedType& type = StateOf(*event.type);
  CacheEntry* entry = type.table.Find(event.name);
  if (entry == nullptr) entry = &type.table.Add(event.name, turn.now);
  if (entry->watchers.empty()) type.subscription.Want(*entry);
  entry->watchers.push_back({.id = event.watch});
  // Somebody came back before the server heard that nobody was there.
  if (std::exchange(entry->is_timer_owed, false)) {
    resource_timers_.Start(turn, type, *entry, ResourceTimeout());
  }
  watches_.emplace(event.watch, Watched{&type, entry});
  TellNewcomer(turn, *entry, entry->watchers.back(), server_.ForWatchers(entry->has_resource()));
  ConnectIfNeeded(turn);
  SendWhatIsDue(turn);
}

void ProtocolState::On(const WatchCancelled& event, Turn& turn) {
  const auto found = watches_.find(event.watch);
  if (found == watches_.end()) return;  // Its name could not be used.
  const auto [type, entry] = found->second;
  watches_.erase(found);
  std::erase_if(entry->watchers, [&](const auto& watcher) { return watcher.id == event.watch; });
  if (!entry->watchers.empty()) return;
  if (watches_.empty()) {
    ForgetEverything(turn);
    return;
  }
  entry->is_timer_owed = entry->timer.is_set();
  resource_timers_.Cancel(turn, *entry);
  if (type->subscription.Unwant(*entry)) Forget(*type, *entry, ServerHears::kNot, turn);
  SendWhatIsDue(turn);
}

absl::Status ProtocolState::CheckType(const AnyResourceType& type) const {
  const absl::string_view name = type.type_name();
  if (name.empty()) {
    return absl::InvalidArgumentError("its type has no name: type_name() is empty");
  }
  if (!IsUtf8(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("type ", Quoted(name), ": type_name() is not valid UTF-8"));
  }
  if (absl::StrContains(name, '/')) {
    return absl::InvalidArgumentError(absl::StrCat("type ", Quoted(name),
                                                   ": type_name() must be the name of a message, "
                                                   "without ",
                                                   Quoted(kTypeUrlPrefix)));
  }
  const SubscribedType* const known = FindType(name);
  if (known == nullptr || &known->type == &type) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("type ", name,
                   ": this client already watches it through another type object; use that "
                   "object, or an XdsClient of its own"));
}

absl::Status ProtocolState::CheckName(const AnyResourceType& type, absl::string_view name) const {
  if (name.empty()) return absl::InvalidArgumentError("the name is empty");
  if (name == "*") {
    return absl::InvalidArgumentError("a resource is watched by its name, and \"*\" is none");
  }
  if (!IsUtf8(name)) return absl::InvalidArgumentError("the name is not valid UTF-8");
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type.type_name());
  if (!parsed.ok()) return parsed.status();
  if (parsed->is_old_style()) return absl::OkStatus();
  if (!options_.authorities.contains(*parsed->authority())) {
    return absl::InvalidArgumentError(absl::StrCat("authority ", Quoted(*parsed->authority()),
                                                   " is not in \"authorities\" of the bootstrap"));
  }
  return absl::UnimplementedError("xdstp names are not yet supported by this build");
}

SubscribedType& ProtocolState::StateOf(const AnyResourceType& type) {
  if (SubscribedType* known = FindType(type.type_name()); known != nullptr) return *known;
  types_.push_back(std::make_unique<SubscribedType>(type));
  return *types_.back();
}

SubscribedType* ProtocolState::FindType(absl::string_view type_name) const {
  for (const auto& type : types_) {
    if (type->type.type_name() == type_name) return type.get();
  }
  return nullptr;
}

void ProtocolState::Forget(SubscribedType& type, CacheEntry& entry, ServerHears hears, Turn& turn) {
  HOLDFAST_CHECK(entry.watchers.empty() && !entry.timer.is_set());
  if (entry.is_deletion_ignored) {
    turn.Order(Log{Severity::kInfo, absl::StrCat(type.type.noun(), " ", Quoted(entry.name()),
                                                 ": no longer watched; its ignored deletion by "
                                                 "xds server ",
                                                 Quoted(options_.server_uri), " is over")});
  }
  // Where the server does not hear of it, the next stream may ask for it again under the version we
  // have, and a server that sees its newest version there may send nothing (R1.39), neither the
  // resource nor the error that it sent instead.
  const bool is_known = entry.has_resource() || entry.state() == CacheState::kReceivedError;
  const bool is_a_loss = is_known && hears == ServerHears::kNot;
  if (is_known && hears == ServerHears::kByTheNextRequest) {
    type.subscription.DropWithNextRequest();
  }
  type.table.Remove(entry);
  const bool is_last = type.table.size() == 0 && hears == ServerHears::kNot;
  if (is_a_loss || is_last) type.subscription.ForgetVersion();
}

// Nobody watches anything: there is no reason to keep a stream (R1.57).
void ProtocolState::ForgetEverything(Turn& turn) {
  if (stream_.is_open()) {
    turn.Order(CloseStream{stream_.id});
    EndStream(turn);
  }
  if (reconnect_.is_set()) turn.Order(CancelTimer{reconnect_});
  reconnect_ = TimerId();
  for (const auto& type : types_) {
    while (type->table.size() > 0) {
      CacheEntry& entry = *type->table.begin()->second;
      type->subscription.Unwant(entry);
      Forget(*type, entry, ServerHears::kNot, turn);
    }
  }
}

void ProtocolState::On(const TimerFired& event, Turn& turn) {
  if (event.timer == reconnect_ && reconnect_.is_set()) {
    reconnect_ = TimerId();
    Open(turn);
    return;
  }
  for (const auto& type : types_) {
    if (event.timer != type->hold || !type->hold.is_set()) continue;
    type->hold = TimerId();
    SendWhatIsDue(turn);
    return;
  }
  if (const auto waiting = resource_timers_.TakeFired(event.timer); waiting.has_value()) {
    if (stream_.is_waiting_for_watchers) {
      // The server may have answered long ago: it is we who do not read.
      resource_timers_.Start(turn, *waiting->type, *waiting->entry, ResourceTimeout());
    } else {
      OnResourceTimer(*waiting->type, *waiting->entry, turn);
    }
  }
  // Else it was cancelled while it was on its way.
}

void ProtocolState::OnResourceTimer(SubscribedType& type, CacheEntry& entry, Turn& turn) {
  HOLDFAST_CHECK(!entry.has_resource());
  const Verdict verdict = holdfast::Judge(
      Failure::kTimedOut,
      {.resource_timer_is_transient_error = options_.features.resource_timer_is_transient_error,
       .data_error_handling = options_.data_error_handling});
  const SharedError error =
      errors_.TimedOut(type.type, entry.name(), verdict.code, ResourceTimeout(), turn.now);
  entry.Fail(*verdict.state, error, verdict.drop_cached, nullptr, turn.now);
  turn.Order(Log{Severity::kWarning, TextOf(*error)});
  TellError(turn, entry, error);
}

absl::Duration ProtocolState::ResourceTimeout() const {
  return options_.data_error_handling && options_.features.resource_timer_is_transient_error
             ? options_.transient_resource_timeout
             : options_.resource_timeout;
}

}  // namespace holdfast
