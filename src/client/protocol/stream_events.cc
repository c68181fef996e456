// The life of the stream: opened, asked on, lost, opened again.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error_detail.h"
#include "base/outside_text.h"
#include "client/protocol/protocol_state.h"
#include "client/protocol/watcher_news.h"

namespace holdfast {
namespace {

// Between the starts of two streams, even where the first one brought a response: a server that
// answers once and dies must not be asked in a loop (R4.34).
constexpr absl::Duration kReconnectFloor = absl::Seconds(1);

}  // namespace

void ProtocolState::ConnectIfNeeded(Turn& turn) {
  if (stream_.is_open() || reconnect_.is_set() || watches_.empty()) return;
  if (turn.now >= not_before_) {
    Open(turn);
    return;
  }
  reconnect_ = timer_ids_.Next();
  // A clock may be set back while nobody watches.
  turn.Order(StartTimer{reconnect_, std::min(not_before_ - turn.now, backoff_.longest())});
}

void ProtocolState::Open(Turn& turn) {
  HOLDFAST_CHECK(!stream_.is_open());
  stream_ = {.id = stream_ids_.Next()};
  last_opened_ = turn.now;
  turn.Order(OpenStream{stream_.id});
  turn.Order(ReadNext{stream_.id});
  SendWhatIsDue(turn);
}

void ProtocolState::On(const ChannelReady&, Turn& turn) {
  // Where the last stream had a connection, the want of one is not what we wait for: a server that
  // takes connections and drops them must not be asked in a loop.
  if (stream_.is_open() || !is_waiting_for_connection_) return;
  is_waiting_for_connection_ = false;
  backoff_.Reset();
  // At once, but not in a loop where connections come and go before a request is out.
  const absl::Time soonest = std::min(last_opened_, turn.now) + kReconnectFloor;
  not_before_ = std::min(not_before_, std::max(turn.now, soonest));
  if (reconnect_.is_set()) {
    turn.Order(CancelTimer{reconnect_});
    reconnect_ = TimerId();
  }
  ConnectIfNeeded(turn);
}

void ProtocolState::On(const StreamClosed& event, Turn& turn) {
  if (!stream_.Is(event.stream)) return;
  const bool has_seen_response = stream_.has_seen_response;
  is_waiting_for_connection_ = !stream_.had_connection;
  EndStream(turn);
  if (has_seen_response) {
    // Normal: servers restart, connections age (R4.31).
    turn.Order(
        Log{event.status.ok() ? Severity::kInfo : Severity::kWarning,
            absl::StrCat("xds server ", Quoted(options_.server_uri), ": the stream ended: ",
                         event.status.ok() ? "OK" : BoundedText(event.status.ToString(), 4096),
                         "; opening another")});
    not_before_ = std::min(last_opened_, turn.now) + backoff_.Jittered(kReconnectFloor);
  } else {
    not_before_ = turn.now + backoff_.Next();
    TellServerFailed(event, turn);
  }
  ConnectIfNeeded(turn);
}

// What was of this stream alone ends with it: timers, nonces, what is on its way. What we know
// stays.
void ProtocolState::EndStream(Turn& turn) {
  stream_ = LiveStream();
  for (const auto& type : types_) {
    CancelHold(*type, turn);
    for (const auto& [name, entry] : type->table) {
      resource_timers_.Cancel(turn, *entry);
      entry->is_timer_owed = false;
    }
    ForgetUnwanted(*type, ServerHears::kNot, turn);
    type->subscription.StreamEnded(type->table);
  }
}

void ProtocolState::TellServerFailed(const StreamClosed& event, Turn& turn) {
  const bool was_failing = server_.is_failing();
  SharedError error = errors_.Unreachable(event.status, event.is_channel_failing,
                                          /*for_cached=*/false, turn.now);
  if (!IsSameNews(server_.ForWatchers(false), error)) {
    turn.Order(Log{Severity::kWarning, TextOf(*error)});
  }
  server_.Fail(
      errors_.Unreachable(event.status, event.is_channel_failing, /*for_cached=*/true, turn.now),
      std::move(error));
  if (!was_failing) {
    turn.Order(Count{.counter = &kServerFailure, .server = options_.server_uri});
  }
  for (const auto& type : types_) {
    for (const auto& [name, entry] : type->table) {
      TellError(turn, *entry, server_.ForWatchers(entry->has_resource()));
    }
  }
}

void ProtocolState::On(const RequestSent& event, Turn& turn) {
  if (!stream_.Is(event.stream)) return;
  HOLDFAST_CHECK(stream_.in_flight != nullptr);
  stream_.had_connection = true;
  SubscribedType& type = *std::exchange(stream_.in_flight, nullptr);
  for (CacheEntry* entry : type.subscription.TakeNewlyAsked()) {
    // Not for what is cached (R4.04), what was mentioned while the request was on its way (R4.07),
    // and not where the server's own word is remembered (DEC-10).
    if (entry->has_resource() || entry->mentioned_on == stream_.id ||
        entry->state() == CacheState::kReceivedError) {
      continue;
    }
    if (entry->watchers.empty()) {
      entry->is_timer_owed = true;  // Somebody may come back before the server hears of it.
      continue;
    }
    resource_timers_.Start(turn, type, *entry, ResourceTimeout());
  }
  SendWhatIsDue(turn);
}

void ProtocolState::SendWhatIsDue(Turn& turn) {
  if (!stream_.is_open()) return;
  for (size_t i = 0; i < types_.size() && stream_.in_flight == nullptr; ++i) {
    const size_t turn_of = (next_type_ + i) % types_.size();
    if (SendIfDue(*types_[turn_of], turn)) next_type_ = (turn_of + 1) % types_.size();
  }
}

bool ProtocolState::SendIfDue(SubscribedType& type, Turn& turn) {
  if (!type.subscription.NeedsRequest()) return false;
  const absl::Duration hold = type.subscription.HoldFor(turn.now);
  if (hold > absl::ZeroDuration()) {
    Hold(type, hold, turn);
    return false;
  }
  CancelHold(type, turn);
  ForgetUnwanted(type, ServerHears::kByTheNextRequest, turn);
  DiscoveryRequest request = type.subscription.NextRequest(type.table, turn.now);
  if (!stream_.has_sent_node) {
    request.node = options_.node;
    stream_.has_sent_node = true;
  }
  stream_.in_flight = &type;
  turn.Order(SendRequest{stream_.id, std::move(request)});
  return true;
}

void ProtocolState::Hold(SubscribedType& type, absl::Duration hold, Turn& turn) {
  if (type.hold.is_set()) return;
  type.hold = timer_ids_.Next();
  turn.Order(StartTimer{type.hold, hold});
}

void ProtocolState::CancelHold(SubscribedType& type, Turn& turn) {
  if (!type.hold.is_set()) return;
  turn.Order(CancelTimer{type.hold});
  type.hold = TimerId();
}

// Entries stay until the request without them leaves, so that a watcher who comes back before that
// loses nothing (R1.19).
void ProtocolState::ForgetUnwanted(SubscribedType& type, ServerHears hears, Turn& turn) {
  if (!type.subscription.has_unwanted()) return;
  for (auto place = type.table.begin(); place != type.table.end();) {
    CacheEntry& entry = *(place++)->second;
    if (entry.watchers.empty()) Forget(type, entry, hears, turn);
  }
}

void ProtocolState::On(const WatchersFinished& event, Turn& turn) {
  if (!stream_.Is(event.stream) || !stream_.is_waiting_for_watchers) return;
  stream_.is_waiting_for_watchers = false;
  turn.Order(ReadNext{stream_.id});
}

}  // namespace holdfast
