// What a session sends, and when: one response at a time, in the order of a commit, and after a
// first one at most once in each merge window.
#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "control/session/session_state.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Of a response, for the log line of a rejection.
constexpr size_t kMostNamesKept = 5;
// A client that answers nothing must not make us remember everything.
constexpr size_t kMostUnanswered = 64;
// Nor keep what we sent before it.
constexpr size_t kMostOffers = 8;
// However short a TTL is.
constexpr absl::Duration kLeastRefresh = absl::Milliseconds(100);

}  // namespace

void Session::State::Pump() {
  // More than once: what was kept back for the sake of other types is free when those had nothing
  // to say, clusters after endpoints.
  for (int round = 0; round < 3 && !is_writing_; ++round) {
    OpenWindow();
    if (SpeakOnce()) break;
  }
  CountErrors();
  SetAlarm();
}

void Session::State::OpenWindow() {
  if (now_ < last_flush_ + options_.merge_window) return;
  bool is_flushing = false;
  for (auto& [name, type] : types_) {
    if (!type.HasWork()) type.is_in_flush = false;
    is_flushing |= type.IsSpeaking();
  }
  // While the parts of a commit wait for one another, those of the next one join them. Then a flush
  // is sent to its end: else types that come first would keep the others waiting for as long as
  // they have news.
  if (is_flushing && now_ >= gate_until_) return;
  bool opened = false;
  for (auto& [name, type] : types_) {
    if (!type.HasWork() || type.is_urgent || type.is_in_flush) continue;
    type.is_in_flush = true;
    opened = true;
  }
  if (!opened) return;
  last_flush_ = now_;
  if (!is_flushing) OpenGate();
}

bool Session::State::SpeakOnce() {
  for (auto& [name, type] : types_) {
    if (!type.IsReady() || MustWait(type)) continue;
    Plan plan = MakePlan(type);
    type.only_takes_away = type.HasWork() && !plan.response.has_value();
    if (!type.HasWork()) {
      type.is_urgent = false;
      type.is_in_flush = false;
    }
    if (plan.response.has_value()) {
      Send(type, std::move(plan));
      return true;
    }
  }
  return false;
}

Plan Session::State::MakePlan(TypeState& type) {
  const PlanInput given{
      .options = options_,
      .view = *view_,
      .now = now_,
      .with_ttl = knows_ttl_,
      .keep_removed = MustNotTakeAway(type),
  };
  if (variant_ == Variant::kDelta) return PlanDelta(given, type);
  return IsFullStateType(type.type) ? PlanFullState(given, type) : PlanChanges(given, type);
}

void Session::State::Send(TypeState& type, Plan plan) {
  SendResponse& response = *plan.response;
  response.nonce = absl::StrCat(++nonce_);
  type.last_nonce = nonce_;
  type.is_everything_owed = false;
  Unanswered unanswered{
      .nonce = nonce_, .version = response.version, .is_as_taken = plan.is_as_taken};
  const auto suspect = [&unanswered](const auto& resources) {
    for (const ResourcePtr& resource : resources) {
      if (unanswered.names.size() == kMostNamesKept) break;
      unanswered.names.push_back(resource->name());
    }
    unanswered.more_names = resources.size() - unanswered.names.size();
  };
  // Of a rejected response the news are to blame, if there are any.
  const bool has_news = plan.news != nullptr && !plan.news->empty();
  if (has_news) {
    suspect(*plan.news);
  } else if (response.all != nullptr) {
    suspect(response.all->resources());
  } else {
    suspect(response.resources);
  }
  unanswered.offer = type.ledger.Sent(plan.news, std::move(plan.had), now_);
  if (type.HasWork()) type.ledger.changed_at = unanswered.offer.committed_at;  // there is more
  NoteSent(type, response, unanswered.offer);
  const size_t before = type.unanswered.size();
  if (before > 0) type.unanswered.back().is_overtaken = true;
  if (before >= kMostOffers) {
    Offer& oldest = type.unanswered[before - kMostOffers].offer;
    oldest = {.sent_at = oldest.sent_at, .committed_at = oldest.committed_at};
  }
  type.unanswered.push_back(std::move(unanswered));
  if (type.unanswered.size() > kMostUnanswered) type.unanswered.erase(type.unanswered.begin());

  effects_.reserve(kFewEffects);
  effects_.emplace_back(CountSession{CountSession::What::kPush, type.type});
  std::map<int, int64_t> codes;
  for (const auto& [name, error] : response.errors) ++codes[error.code];
  for (const auto& [code, count] : codes) {
    effects_.emplace_back(CountSession{CountSession::What::kTp3Error, type.type, code, count});
  }
  if (knows_ttl_) NoteTtl(type, response);
  if (has_news) ResendChildren(plan.news);
  is_writing_ = true;
  effects_.emplace_back(std::move(response));
}

// A client that got a new version of a cluster waits for its endpoints, whether they changed or
// not.
void Session::State::ResendChildren(const ResourceList& parents) {
  if (now_ < gate_until_) sent_in_gate_.push_back(parents);
  // Children are of other types than their parents.
  if (types_.size() == 1 && !is_returning_) return;
  for (const ResourcePtr& parent : *parents) {
    for (const ResourceKey& child : parent->children()) {
      const auto type = types_.find(child.type);
      if (type == types_.end()) {
        // Whoever returns may be about to say that it has the child.
        if (is_returning_ && parents_sent_.size() < options_.most_names) {
          parents_sent_.insert_or_assign(parent->key(), parent);
        }
        continue;
      }
      const auto named = type->second.names.find(child.name);
      if (named == type->second.names.end() || named->second.sent == nullptr) continue;
      named->second.is_due = true;
      type->second.to_check.insert(child.name);
      type->second.is_urgent = true;
    }
  }
}

void Session::State::NoteTtl(TypeState& type, const SendResponse& response) {
  const auto note = [&](const auto& resources) {
    for (const ResourcePtr& resource : resources) {
      // One that had a TTL before stays: the client may reject this, and go on with that.
      if (!resource->ttl().has_value()) continue;
      type.with_ttl.insert(resource->name());
      type.refresh_at =
          std::min(type.refresh_at, now_ + std::max(*resource->ttl() / 2, kLeastRefresh));
    }
  };
  if (response.all != nullptr) {
    note(response.all->resources());
  } else {
    note(response.resources);
  }
}

void Session::State::CountErrors() {
  for (auto& [name, type] : types_) {
    const int64_t change = type.errors_outstanding - type.errors_counted;
    if (change == 0) continue;
    type.errors_counted = type.errors_outstanding;
    effects_.emplace_back(ErrorsOutstanding{name, change});
  }
}

void Session::State::SetAlarm() {
  absl::Time next = absl::InfiniteFuture();
  const bool is_flushing =
      absl::c_any_of(types_, [](const auto& one) { return one.second.IsSpeaking(); });
  for (const auto& [name, type] : types_) {
    if (type.is_holding && type.hold_until != absl::InfinitePast()) {
      next = std::min(next, type.hold_until);
    }
    next = std::min(next, type.refresh_at);
    // While a response is outstanding, its end is what wakes the session.
    if (is_writing_ || !type.HasWork()) continue;
    const bool is_gate_open = now_ < gate_until_;
    if (type.IsReady()) {
      if (is_gate_open) next = std::min(next, gate_until_);
    } else if (is_gate_open || !is_flushing) {
      next = std::min(next, last_flush_ + options_.merge_window);
    }
  }
  // To be woken for nothing does no harm.
  if (next == alarm_ || next == absl::InfiniteFuture()) return;
  alarm_ = next;
  effects_.emplace_back(WakeAt{next});
}

}  // namespace holdfast
