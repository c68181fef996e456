// What a session writes down of its client: what it answered, and what has happened to it.
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/outside_text.h"
#include "control/session/session_state.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Of a client's own words, in a log line and in an event.
constexpr size_t kMostReason = 1000;
constexpr size_t kMostEventText = 300;
// As many are remembered of a stream.
constexpr size_t kMostEvents = 16;

bool IsGlob(absl::string_view name) {
  return absl::StartsWith(name, "xdstp:") && absl::StrContains(name, "/*");
}

// It asks for it, and was not told since that there is none.
bool StillHas(const TypeState& type, const std::string& name) {
  if (type.names.contains(name) || type.HadInWildcard(name).has_value()) return true;
  const GlobState* const glob = type.GlobWith(name);
  return glob != nullptr && glob->sent.contains(name);
}

}  // namespace

void Session::State::NoteAnswer(TypeState& type, std::vector<Unanswered>::iterator answered,
                                const std::optional<WireStatus>& error) {
  const bool is_full_state = variant_ == Variant::kSotw && IsFullStateType(type.type);
  const bool is_all = is_full_state && !answered->is_as_taken;
  // SotW: who answers the newest has taken those before it.
  if (variant_ == Variant::kSotw) {
    for (auto earlier = type.unanswered.begin(); earlier != answered; ++earlier) {
      type.ledger.Acked(earlier->offer, is_full_state && !earlier->is_as_taken);
    }
  }
  const Offer& offer = answered->offer;
  if (!error.has_value()) {
    CountSession count{CountSession::What::kAck, type.type};
    if (offer.committed_at != absl::InfinitePast()) count.since_commit = now_ - offer.committed_at;
    effects_.emplace_back(std::move(count));
    if (!answered->is_as_taken) type.rejected.clear();
    NoteClustersTaken(type, offer);
    type.ledger.acked_version = answered->version;
    type.ledger.acked_at = now_;
    const Happened accepted = type.ledger.Acked(offer, is_all).accepted;
    if (accepted.count == 0) return;
    NoteEvent(ClientEvent::Kind::kAckAfterNack, type, accepted, answered->version);
    return;
  }
  effects_.emplace_back(CountSession{CountSession::What::kNack, type.type});
  LogRejection(type, *answered, *error);
  if (is_all && !answered->is_overtaken && offer.news != nullptr) {
    for (const ResourcePtr& resource : *offer.news) {
      type.rejected.insert_or_assign(resource->name(), resource->hash());
    }
  }
  const Happened blamed =
      type.ledger
          .Nacked(
              offer, is_all, *error, answered->version,
              [&type](const std::string& name) { return StillHas(type, name); }, now_)
          .blamed;
  for (auto later = std::next(answered); later != type.unanswered.end(); ++later) {
    type.ledger.NoteReverts(later->offer);
  }
  NoteEvent(ClientEvent::Kind::kNack, type, blamed, answered->version, error->message);
}

void Session::State::NoteSent(TypeState& type, const SendResponse& response, const Offer& offer) {
  TypeLedger& ledger = type.ledger;
  ledger.sent_version = response.version;
  const auto is_named = [&type](const std::string& name) {
    return type.names.contains(name) || type.globs.contains(name);
  };
  for (const std::string& name : response.removed) {
    if (is_named(name)) continue;
    ledger.deleted.Add(name);
    ledger.Forget(name);
  }
  if (response.all != nullptr && variant_ == Variant::kSotw) {
    const std::optional<TypeView::Step>& step = response.all->step();
    if (offer.had != nullptr && step.has_value() && step->before == offer.had->hash() &&
        !step->gone.empty()) {
      ledger.deleted = {step->gone.front(), step->gone.size()};
    }
    std::vector<std::string> gone;
    for (const auto& [name, deviation] : ledger.deviations()) {
      if (response.all->Find(name) == nullptr && !is_named(name)) gone.push_back(name);
    }
    for (const std::string& name : gone) ledger.Forget(name);
  }
  if (ledger.errored.count > 0) {
    const Happened errored = std::exchange(ledger.errored, {});
    NoteEvent(ClientEvent::Kind::kError, type, errored, response.version,
              ErrorNow(*view_, type.type, errored.first).message);
  }
  if (ledger.deleted.count > 0) {
    NoteEvent(ClientEvent::Kind::kDeleted, type, std::exchange(ledger.deleted, {}),
              response.version);
  }
}

void Session::State::NoteUnfollowed(TypeState& type,
                                    const std::vector<std::string>& unfollowed) const {
  if (type.ledger.deviations().empty()) return;
  const TypeView& now = *view_->Of(type.type);
  const auto is_asked_for = [&](const std::string& name) {
    return type.names.contains(name) || type.GlobWith(name) != nullptr ||
           (type.is_wildcard && now.Find(name) != nullptr);
  };
  bool has_many = false;
  for (const std::string& name : unfollowed) {
    has_many |= name == "*" || IsGlob(name);
    if (!is_asked_for(name)) type.ledger.Forget(name);
  }
  if (!has_many) return;
  std::vector<std::string> gone;
  for (const auto& [name, deviation] : type.ledger.deviations()) {
    if (!is_asked_for(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) type.ledger.Forget(name);
}

void Session::State::NoteEvent(ClientEvent::Kind kind, const TypeState& type,
                               const Happened& happened, const std::string& version,
                               absl::string_view message) {
  if (events_.size() == kMostEvents) events_.erase(events_.begin());
  std::string text = BoundedText(message, kMostEventText);
  if (happened.count > 1) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "(and ", happened.count - 1, " more)");
  }
  events_.push_back({now_, kind, type.type, happened.first, version, std::move(text)});
}

void Session::State::LogRejection(const TypeState& type, const Unanswered& response,
                                  const WireStatus& error) {
  const std::string client = node_.id.empty()
                                 ? absl::StrCat("client at ", peer_)
                                 : absl::StrCat("client ", Quoted(node_.id), " at ", peer_);
  std::string names =
      response.names.empty()
          ? std::string("no names")
          : absl::StrJoin(response.names, ", ",
                          [](std::string* out, const auto& n) { absl::StrAppend(out, Quoted(n)); });
  if (response.more_names > 0) absl::StrAppend(&names, " and ", response.more_names, " more");
  effects_.emplace_back(LogLine{
      Severity::kWarning,
      absl::StrCat(client, " rejected ", type.type, " version ", response.version, " (", names,
                   "): ", BoundedText(error.message, kMostReason),
                   "; it keeps what it had, and is sent nothing again until that changes")});
}

SessionReport Session::State::Report(const ReportOptions& options) const {
  SessionReport report{.node = node_, .types = {}, .events = events_};
  // What is not good goes before what is, whatever its type.
  ReportOptions left = options;
  left.with_good = false;
  for (const auto& [name, type] : types_) {
    report.types.push_back(ReportOf(type, *view_, left));
    left.most_names -= report.types.back().names.size();
  }
  if (!options.with_good) return report;
  size_t i = 0;
  for (const auto& [name, type] : types_) {
    TypeReport& of_type = report.types[i++];
    const size_t with_bad = left.most_names + of_type.names.size();
    of_type = ReportOf(type, *view_, {.with_good = true, .most_names = with_bad});
    left.most_names = with_bad - of_type.names.size();
  }
  return report;
}

HeldBack Session::State::held_back() const {
  HeldBack sum;
  for (const auto& [name, type] : types_) {
    if (type.ledger.held_back() == 0) continue;
    sum.resources += type.ledger.held_back();
    sum.since = std::min(sum.since, type.ledger.OldestHeldBack());
  }
  return sum;
}

}  // namespace holdfast
