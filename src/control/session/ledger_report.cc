// ReportOf: the ledger and what is on its way, name by name.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "control/session/response_planner.h"
#include "control/session/session_report.h"
#include "control/session/type_state.h"

namespace holdfast {
namespace {

using Kind = Deviation::Kind;

const std::string& kNoVersion = *new std::string;

class TypeReporter {
 public:
  TypeReporter(const TypeState& type, const View& view, const ReportOptions& options)
      : type_(type),
        view_(view),
        now_(*view.Of(type.type)),
        options_(options),
        is_settled_(type.unanswered.empty() && !type.HasWork()) {}

  TypeReport Make() {
    report_.type = type_.type;
    report_.everything = type_.is_wildcard;
    report_.version = type_.ledger.sent_version;
    report_.acked_version = type_.ledger.acked_version;
    report_.acked_at = type_.ledger.acked_at;
    if (options_.only != nullptr) {
      for (const ResourceKey& key : *options_.only) {
        if (key.type == type_.type) AddOne(key.name);
      }
    } else if (options_.only_errors) {
      for (const auto& [name, deviation] : type_.ledger.deviations()) {
        if (deviation.kind == Kind::kErrored) AddDeviation(name, deviation);
      }
    } else {
      AddAll();
      Count();
    }
    List();
    return std::move(report_);
  }

 private:
  void AddAll() {
    AddDeviations();
    if (IsWaitingForEverything()) {
      AddEverything();
      return;
    }
    for (const Unanswered& one : type_.unanswered) AddOffer(one.offer);
    if (type_.HasWork()) AddWork();
  }

  // Both are in the order of their names. Where a client rejected most of what is served, to look
  // each of them up would be most of the work of a report.
  void AddDeviations() {
    const TypeLedger::Deviations& deviations = type_.ledger.deviations();
    if (deviations.size() < now_.resources().size() / 8) {
      for (const auto& [name, deviation] : deviations) AddDeviation(name, deviation);
      return;
    }
    auto served = now_.resources().begin();
    const auto end = now_.resources().end();
    for (const auto& [name, deviation] : deviations) {
      int order = -1;
      while (served != end && (order = (*served)->name().compare(name)) < 0) ++served;
      AddDeviation(name, deviation, served != end && order == 0 ? &*served : nullptr);
    }
  }

  // As AddAll would, of a name that is served.
  void AddOne(const std::string& name) {
    if (const Deviation* const deviation = type_.ledger.Find(name)) AddDeviation(name, *deviation);
    if (IsWaitingForEverything()) {
      AddWaiting(name, RunsOf(name), SinceEverything());
      return;
    }
    for (const Unanswered& one : type_.unanswered) {
      const ResourcePtr* const offered =
          one.offer.news == nullptr ? nullptr : one.offer.news->Find(name);
      if (offered != nullptr) AddOffered(one.offer, **offered);
    }
    const bool may_differ = type_.base == nullptr ? type_.is_wildcard : type_.is_behind;
    if (type_.HasWork() && (may_differ || type_.to_check.contains(name))) AddDue(name);
  }

  const std::string& Served(const std::string& name) const {
    const ResourcePtr* const found = now_.Find(name);
    return found == nullptr ? kNoVersion : (*found)->version();
  }

  bool IsAskedFor(const std::string& name) const { return IsAskedFor(name, now_.Find(name)); }
  bool IsAskedFor(const std::string& name, const ResourcePtr* found) const {
    return (type_.is_wildcard && found != nullptr) || type_.names.contains(name) ||
           type_.GlobWith(name) != nullptr;
  }

  // As of what is served now, which the client may not have been sent.
  static Kind KindOf(const Deviation& deviation, bool is_served) {
    if (!is_served) return deviation.kind;
    // What it said no to is back.
    if (deviation.kind == Kind::kSilent && deviation.rejection != nullptr) return Kind::kRejected;
    // There is something to have again, and it will be sent.
    return deviation.kind == Kind::kErrored ? Kind::kOlder : deviation.kind;
  }

  static DeliveryState StateOf(Kind kind, const Deviation& deviation, const std::string& served) {
    const bool runs_served = deviation.runs != nullptr && deviation.runs->version == served;
    switch (kind) {
      case Kind::kSilent:
      case Kind::kOlder:
        return runs_served ? DeliveryState::kGood : DeliveryState::kWaiting;
      case Kind::kRejected:
        if (runs_served) return DeliveryState::kGood;
        break;
      case Kind::kErrored:
        break;
    }
    return deviation.runs != nullptr ? DeliveryState::kHeldBack : DeliveryState::kFailed;
  }

  void AddDeviation(const std::string& name, const Deviation& deviation) {
    AddDeviation(name, deviation, now_.Find(name));
  }
  // `found`: what is served of that name; null: nothing.
  void AddDeviation(const std::string& name, const Deviation& deviation, const ResourcePtr* found) {
    if (!IsAskedFor(name, found)) return;
    const std::string& served = found == nullptr ? kNoVersion : (*found)->version();
    const Kind kind = KindOf(deviation, found != nullptr);
    const DeliveryState state = StateOf(kind, deviation, served);
    if (state == DeliveryState::kGood) {
      good_.insert(name);
      return;
    }
    // Where nothing else is to be found out, the rest is only counted.
    if (is_settled_ && bad_.size() >= options_.most_names) {
      Count(state, unlisted_);
      return;
    }
    NameReport one{.name = name,
                   .state = state,
                   .version = served,
                   .runs = deviation.runs,
                   .since = deviation.since};
    if (kind != deviation.kind) one.since = std::max(one.since, type_.ledger.changed_at);
    if (kind == Kind::kErrored) one.error = ErrorNow(view_, type_.type, name);
    if (kind == Kind::kRejected) {
      one.error = NameError{deviation.rejection->code, deviation.rejection->message};
      one.rejected_version = deviation.rejection->version;
    }
    bad_.emplace(name, std::move(one));
  }

  // The first answer to a client that asked for everything is on its way, or about to be: nothing
  // is to be looked at one by one.
  bool IsWaitingForEverything() const {
    if (!type_.is_wildcard || !type_.ledger.deviations().empty() || !type_.names.empty()) {
      return false;
    }
    if (type_.unanswered.empty()) return type_.base == nullptr && type_.since_base.empty();
    return type_.unanswered.size() == 1 && type_.base != nullptr && !type_.HasWork() &&
           type_.unanswered.front().offer.news != nullptr &&
           type_.unanswered.front().offer.news->size() == now_.resources().size();
  }

  absl::Time SinceEverything() const {
    return type_.unanswered.empty() ? type_.ledger.asked_at
                                    : type_.unanswered.front().offer.sent_at;
  }

  void AddEverything() {
    const absl::Time since = SinceEverything();
    size_t left = options_.most_names;
    for (const ResourcePtr& resource : now_.resources()) {
      if (left == 0) break;
      --left;
      AddWaiting(resource->name(), RunsOf(resource->name()), since);
    }
    unlisted_.waiting = now_.resources().size() - bad_.size();
  }

  void AddOffer(const Offer& offer) {
    if (offer.news == nullptr) return;
    for (const ResourcePtr& resource : *offer.news) AddOffered(offer, *resource);
  }

  void AddOffered(const Offer& offer, const Resource& resource) {
    const std::string& name = resource.name();
    if (bad_.contains(name) || good_.contains(name) || !IsAskedFor(name)) return;
    HeldPtr runs = type_.ledger.Before(offer, resource);
    if (runs != nullptr && runs->version == Served(name)) {
      good_.insert(name);  // changed and changed back, faster than it answers
    } else {
      AddWaiting(name, std::move(runs), offer.sent_at);
    }
  }

  // What is to be looked at before the next response, and will be in it.
  void AddWork() {
    for (const std::string& name : type_.to_check) AddDue(name);
    if (type_.is_behind && type_.base != nullptr) {
      for (const std::string& name : NamesThatDiffer(*type_.base, now_)) AddDue(name);
    }
    if (type_.is_wildcard && type_.base == nullptr) {
      for (const ResourcePtr& resource : now_.resources()) AddDue(resource->name());
    }
  }

  void AddDue(const std::string& name) {
    if (bad_.contains(name) || !IsAskedFor(name) || IsAsServed(name)) return;
    good_.erase(name);
    AddWaiting(name, RunsOf(name),
               type_.ledger.changed_at != absl::InfinitePast() ? type_.ledger.changed_at
                                                               : type_.ledger.asked_at);
  }

  // The client was sent what is served.
  bool IsAsServed(const std::string& name) const {
    const ResourcePtr* const found = now_.Find(name);
    const auto named = type_.names.find(name);
    if (named != type_.names.end()) {
      return found == nullptr ? named->second.error_sent != 0 : IsSame(named->second.sent, *found);
    }
    if (found == nullptr) return true;
    if (type_.is_wildcard) return type_.HadInWildcard(name) == (*found)->hash();
    const GlobState* const glob = type_.GlobWith(name);
    if (glob == nullptr) return false;
    const auto had = glob->sent.find(name);
    return had != glob->sent.end() && had->second == (*found)->hash();
  }

  HeldPtr RunsOf(const std::string& name) const {
    const auto named = type_.names.find(name);
    if (named != type_.names.end()) return type_.RunsOf(name, named->second.sent);
    const ResourcePtr* const had = type_.base == nullptr ? nullptr : type_.base->Find(name);
    return type_.RunsOf(name, had == nullptr ? nullptr : *had);
  }

  void AddWaiting(const std::string& name, HeldPtr runs, absl::Time since) {
    bad_.emplace(name, NameReport{.name = name,
                                  .state = DeliveryState::kWaiting,
                                  .version = Served(name),
                                  .runs = std::move(runs),
                                  .since = since});
  }

  // All names that the client asked for, or gets because it asked for everything.
  size_t Total() const {
    if (!type_.globs.empty()) return AllNames().size();
    if (!type_.is_wildcard) return type_.names.size();
    size_t total = now_.resources().size();
    for (const auto& [name, state] : type_.names) total += now_.Find(name) == nullptr ? 1 : 0;
    return total;
  }

  std::set<std::string> AllNames() const {
    std::set<std::string> names;
    for (const auto& [name, state] : type_.names) names.insert(name);
    for (const auto& [text, glob] : type_.globs) {
      for (const auto& [name, version] : glob.sent) names.insert(name);
    }
    if (type_.is_wildcard) {
      for (const ResourcePtr& resource : now_.resources()) names.insert(resource->name());
    }
    for (const auto& [name, report] : bad_) names.insert(name);
    return names;
  }

  static void Count(DeliveryState state, DeliveryCounts& counts) {
    counts.waiting += state == DeliveryState::kWaiting ? 1 : 0;
    counts.held_back += state == DeliveryState::kHeldBack ? 1 : 0;
    counts.failed += state == DeliveryState::kFailed ? 1 : 0;
  }

  void Count() {
    DeliveryCounts& counts = report_.counts;
    counts = unlisted_;
    for (const auto& [name, one] : bad_) Count(one.state, counts);
    const size_t bad = counts.waiting + counts.held_back + counts.failed;
    const size_t total = Total();
    counts.good = total - std::min(total, bad);
  }

  void List() {
    size_t left = options_.most_names;
    for (auto& [name, one] : bad_) {
      if (left == 0) {
        ++report_.more_names;
        continue;
      }
      --left;
      report_.names.push_back(std::move(one));
    }
    report_.more_names += unlisted_.waiting + unlisted_.held_back + unlisted_.failed;
    if (!options_.with_good) return;
    if (left == 0) {
      report_.more_names += report_.counts.good;
      return;
    }
    for (const std::string& name : AllNames()) {
      if (bad_.contains(name)) continue;
      if (left == 0) {
        ++report_.more_names;
        continue;
      }
      --left;
      const ResourcePtr* const found = now_.Find(name);
      report_.names.push_back({.name = name,
                               .version = Served(name),
                               .runs = found != nullptr ? HeldOf(*found) : RunsOf(name)});
    }
  }

  const TypeState& type_;
  const View& view_;
  const TypeView& now_;
  const ReportOptions& options_;
  const bool is_settled_;                  // nothing is on its way, nothing is to be sent
  std::map<std::string, NameReport> bad_;  // all that are not good, but for unlisted_
  std::set<std::string> good_;             // in spite of what the ledger has of them
  DeliveryCounts unlisted_;
  TypeReport report_;
};

}  // namespace

TypeReport ReportOf(const TypeState& type, const View& view, const ReportOptions& options) {
  return TypeReporter(type, view, options).Make();
}

}  // namespace holdfast
