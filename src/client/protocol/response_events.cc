// What comes on the stream.
#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "client/protocol/protocol_state.h"
#include "client/protocol/watcher_news.h"

namespace holdfast {
namespace {

// Different types that are logged as unknown in the life of a client.
constexpr size_t kMostUnknownTypes = 100;
// Of a NACK's text in the log; the server gets more of it.
constexpr size_t kMostLoggedNack = 2000;

bool IsForWatcher(const Effect& effect) {
  return std::holds_alternative<DeliverResource>(effect) ||
         std::holds_alternative<DeliverError>(effect) ||
         std::holds_alternative<DeliverAmbientError>(effect);
}

}  // namespace

void ProtocolState::On(const ResponseReceived& event, Turn& turn) {
  if (!stream_.Is(event.stream)) return;
  const bool was_failing = server_.is_failing();
  SawResponse(turn);
  SubscribedType* type = FindType(absl::StripPrefix(event.response.type_url, kTypeUrlPrefix));
  if (type != nullptr && type->subscription.is_on_stream()) {
    Judge(*type, event.response, turn);
  } else if (unknown_types_.size() < kMostUnknownTypes &&
             unknown_types_.insert(BoundedText(event.response.type_url)).second) {
    // Neither ACK nor NACK: we never asked (R1.16).
    turn.Order(Log{Severity::kWarning,
                   absl::StrCat("xds server ", Quoted(options_.server_uri), ": sent type ",
                                Quoted(event.response.type_url),
                                ", which was not asked for on this stream; ignored (said once a "
                                "type)")});
  }
  if (was_failing) TellServerIsBackToAll(turn);
  SendWhatIsDue(turn);
  ReadOrWait(turn);
}

void ProtocolState::On(const ResponseUnreadable& event, Turn& turn) {
  if (!stream_.Is(event.stream)) return;
  // There is no nonce to answer to (R5.07). It is no response either: it proves nothing good.
  if (!stream_.has_sent_garbage) {
    stream_.has_sent_garbage = true;
    turn.Order(Log{
        Severity::kWarning,
        absl::StrCat("xds server ", Quoted(options_.server_uri), ": sent what cannot be read: ",
                     BoundedText(event.why.message(), 1000), "; ignored (said once a stream)")});
  }
  turn.Order(ReadNext{stream_.id});
}

void ProtocolState::SawResponse(Turn& turn) {
  stream_.had_connection = true;
  stream_.has_seen_response = true;
  backoff_.Reset();
  if (!server_.is_failing()) return;
  server_.Recover();
  turn.Order(Log{Severity::kInfo,
                 absl::StrCat("xds server ", Quoted(options_.server_uri), ": answers again")});
}

void ProtocolState::Judge(SubscribedType& type, const DiscoveryResponse& response, Turn& turn) {
  const JudgeContext context = {
      .data_error_handling = options_.data_error_handling,
      .decode = {.features = options_.features, .custom_lb_policies = options_.custom_lb_policies},
      .errors = errors_,
      .timers = resource_timers_,
      .not_enforced = not_enforced_};
  ResponseVerdict verdict =
      ResponseJudge(context, type, stream_.id, ++responses_, turn).Judge(response);

  const auto count = [&](const Instrument& counter, int64_t by) {
    if (by == 0) return;
    turn.Order(Count{.counter = &counter,
                     .server = options_.server_uri,
                     .type_name = std::string(type.type.type_name()),
                     .by = by});
  };
  count(kResourceUpdatesValid, verdict.valid);
  count(kResourceUpdatesInvalid, verdict.invalid);
  if (verdict.nack.empty()) {
    type.subscription.Accept(response.nonce, response.version_info);
    return;
  }
  turn.Order(Log{Severity::kWarning,
                 absl::StrCat("xds server ", Quoted(options_.server_uri), ": rejected version ",
                              BoundedText(response.version_info), " of ", type.type.type_name(),
                              ": ", BoundedText(verdict.nack, kMostLoggedNack))});
  type.subscription.Reject(response.nonce, std::move(verdict.nack));
}

void ProtocolState::TellServerIsBackToAll(Turn& turn) {
  for (const auto& type : types_) {
    for (const auto& [name, entry] : type->table) TellServerIsBack(turn, *entry);
  }
}

void ProtocolState::ReadOrWait(Turn& turn) {
  if (std::any_of(turn.effects.begin(), turn.effects.end(), IsForWatcher)) {
    stream_.is_waiting_for_watchers = true;
  } else {
    turn.Order(ReadNext{stream_.id});
  }
}

}  // namespace holdfast
