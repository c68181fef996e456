#include "control/session/ledger.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Of a client's own words: all that somebody would read, unless it rejects so many resources that
// this would add up.
constexpr size_t kMostReason = size_t{8} << 10;
constexpr size_t kMostReasonOfMany = 1000;
constexpr size_t kFewBlamed = 8;
constexpr size_t kFewRejected = 16;
// Of these, where names are looked for: who rejects many resources says so for each.
constexpr size_t kMostSearched = size_t{16} << 10;
// Of a version that a client came with; ours are shorter.
constexpr size_t kMostVersion = 256;
// What a client brought from an earlier stream and nobody said the version of.
constexpr absl::string_view kUnknownVersion = "unknown";

bool IsBorder(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c)) ||
         absl::string_view("\"'`()[]{}<>,;").find(c) != absl::string_view::npos;
}

bool EndsASentence(char c) { return c == ':' || c == '.' || c == '!' || c == '?'; }

}  // namespace

std::set<std::string> NamesIn(absl::string_view text,
                              absl::FunctionRef<bool(absl::string_view)> is_name) {
  std::set<std::string> names;
  const auto look_at = [&](absl::string_view word) {
    if (!word.empty() && is_name(word)) names.emplace(word);
  };
  text = text.substr(0, kMostSearched);
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    if (end < text.size() && !IsBorder(text[end])) continue;
    absl::string_view word = text.substr(start, end - start);
    start = end + 1;
    look_at(word);
    while (!word.empty() && EndsASentence(word.back())) {
      word.remove_suffix(1);
      look_at(word);
    }
  }
  // A name with a border in it can only be told in quotes.
  for (const char quote : {'"', '\''}) {
    size_t open = text.find(quote);
    while (open != absl::string_view::npos) {
      const size_t close = text.find(quote, open + 1);
      if (close == absl::string_view::npos) break;
      look_at(text.substr(open + 1, close - open - 1));
      open = close;
    }
  }
  return names;
}

template <class Change>
void TypeLedger::Update(Deviation& deviation, Change change) {
  Uncount(deviation);
  change(deviation);
  Count(deviation);
}

void TypeLedger::Count(const Deviation& deviation) {
  with_rejection_ += deviation.rejection != nullptr ? 1 : 0;
  if (!deviation.IsHeldBack()) return;
  ++held_back_;
  ++held_back_since_[deviation.since];
}

void TypeLedger::Uncount(const Deviation& deviation) {
  with_rejection_ -= deviation.rejection != nullptr ? 1 : 0;
  if (!deviation.IsHeldBack()) return;
  --held_back_;
  const auto since = held_back_since_.find(deviation.since);
  if (--since->second == 0) held_back_since_.erase(since);
}

void TypeLedger::Erase(Deviations::iterator at) {
  Uncount(at->second);
  deviations_.erase(at);
}

const Deviation* TypeLedger::Find(absl::string_view name) const {
  if (deviations_.empty()) return nullptr;
  const auto found = deviations_.find(name);
  return found == deviations_.end() ? nullptr : &found->second;
}

void TypeLedger::CameWith(absl::string_view version) {
  came_with_ = std::make_shared<const Held>(Held{BoundedText(version, kMostVersion), nullptr});
}

void TypeLedger::CameWith(const std::string& name, absl::string_view version, absl::Time now) {
  Update(deviations_[name], [&](Deviation& one) {
    one = {.kind = Deviation::Kind::kOlder,
           .since = now,
           .runs = std::make_shared<const Held>(Held{BoundedText(version, kMostVersion), nullptr})};
  });
}

void TypeLedger::Offered(const ResourcePtr& after, const ResourcePtr& before) {
  if (before != nullptr) replaced_.push_back({after, before, before->hash()});
  ComeBack(after->name());
}

void TypeLedger::Offered(const ResourcePtr& after, const ContentHash& before) {
  replaced_.push_back({after, nullptr, before});
  ComeBack(after->name());
}

// There is something to have again.
void TypeLedger::ComeBack(const std::string& name) {
  if (deviations_.empty()) return;
  const auto known = deviations_.find(name);
  if (known == deviations_.end()) return;
  const Deviation::Kind kind = known->second.kind;
  if (kind != Deviation::Kind::kErrored && kind != Deviation::Kind::kSilent) return;
  if (known->second.runs == nullptr) {
    Erase(known);
  } else {
    Update(known->second, [](Deviation& one) { one.kind = Deviation::Kind::kOlder; });
  }
}

void TypeLedger::Withdrawn(const std::string& name, HeldPtr runs, bool keeps, absl::Time now) {
  const auto [at, is_new] = deviations_.try_emplace(name);
  Deviation& deviation = at->second;
  const bool was_errored = !is_new && deviation.kind == Deviation::Kind::kErrored;
  if (!is_new) runs = deviation.runs;
  if (!was_errored) (runs != nullptr && !keeps ? deleted : errored).Add(name);
  Update(deviation, [&](Deviation& one) {
    one = {.kind = Deviation::Kind::kErrored,
           .keeps = keeps,
           .since = was_errored ? one.since : now,
           .runs = keeps ? std::move(runs) : nullptr};
  });
}

void TypeLedger::Silent(const std::string& name, HeldPtr runs, absl::Time now) {
  const auto [at, is_new] = deviations_.try_emplace(name);
  if (is_new) {
    at->second = {.kind = Deviation::Kind::kSilent, .since = now, .runs = std::move(runs)};
  } else if (at->second.kind == Deviation::Kind::kRejected) {
    // What it said no to is not there any more. If just that comes back, it is not sent again, so
    // what the client said is kept.
    Update(at->second, [&](Deviation& one) {
      one.kind = Deviation::Kind::kSilent;
      one.since = now;
    });
  }
}

void TypeLedger::Forget(absl::string_view name) {
  if (deviations_.empty()) return;
  const auto found = deviations_.find(name);
  if (found != deviations_.end()) Erase(found);
}

Offer TypeLedger::Sent(ResourceList news, TypeViewPtr had, absl::Time now) {
  Offer offer{.news = std::move(news),
              .had = std::move(had),
              .replaced = std::exchange(replaced_, {}),
              .sent_at = now,
              .committed_at = std::exchange(changed_at, absl::InfinitePast())};
  std::sort(offer.replaced.begin(), offer.replaced.end(), [](const Replaced& a, const Replaced& b) {
    return a.offered->name() < b.offered->name();
  });
  NoteReverts(offer);
  return offer;
}

void TypeLedger::NoteReverts(const Offer& offer) {
  if (with_rejection_ == 0 || offer.news == nullptr) return;
  if (offer.news->size() < deviations_.size()) {
    for (const ResourcePtr& offered : *offer.news) {
      const auto known = deviations_.find(offered->name());
      if (known != deviations_.end()) NoteRevert(offered, known->second);
    }
    return;
  }
  for (auto& [name, deviation] : deviations_) {
    const ResourcePtr* const offered = offer.news->Find(name);
    if (offered != nullptr) NoteRevert(*offered, deviation);
  }
}

void TypeLedger::NoteRevert(const ResourcePtr& offered, Deviation& deviation) {
  if (deviation.kind != Deviation::Kind::kRejected || deviation.runs == nullptr) return;
  if (offered->version() != deviation.runs->version) return;
  Update(deviation, [](Deviation& one) { one.kind = Deviation::Kind::kOlder; });
}

HeldPtr TypeLedger::Before(const Offer& offer, const Resource& offered) const {
  if (const Deviation* const known = Find(offered.name())) return known->runs;
  const auto replaced = std::lower_bound(
      offer.replaced.begin(), offer.replaced.end(), offered.name(),
      [](const Replaced& one, const std::string& name) { return one.offered->name() < name; });
  if (replaced != offer.replaced.end() && replaced->offered->name() == offered.name()) {
    if (replaced->before != nullptr) return HeldOf(replaced->before);
    const bool is_known = replaced->before_hash != ContentHash();
    return std::make_shared<const Held>(
        Held{is_known ? replaced->before_hash.Hex() : std::string(kUnknownVersion), nullptr});
  }
  if (offer.had != nullptr) {
    const ResourcePtr* const had = offer.had->Find(offered.name());
    return had == nullptr ? nullptr : HeldOf(*had);
  }
  return came_with_;
}

Happened TypeLedger::Accept(const Offer& offer, bool is_all, const std::set<std::string>& but) {
  Happened accepted;
  const size_t news = offer.news == nullptr ? 0 : offer.news->size();
  // What was not new in it is of interest only if it was rejected before.
  if (news < deviations_.size() && (!is_all || with_rejection_ == 0)) {
    if (news == 0) return accepted;
    for (const ResourcePtr& offered : *offer.news) {
      const std::string& name = offered->name();
      const auto known = deviations_.find(name);
      if (known == deviations_.end() || but.contains(name)) continue;
      AcceptOne(known, &offered, is_all, accepted);
    }
    return accepted;
  }
  for (auto at = deviations_.begin(); at != deviations_.end();) {
    const auto here = at++;
    if (but.contains(here->first)) continue;
    AcceptOne(here, news == 0 ? nullptr : offer.news->Find(here->first), is_all, accepted);
  }
  return accepted;
}

void TypeLedger::AcceptOne(Deviations::iterator at, const ResourcePtr* offered, bool is_all,
                           Happened& accepted) {
  Deviation& deviation = at->second;
  const bool was_rejected = deviation.rejection != nullptr;
  if (deviation.kind == Deviation::Kind::kErrored) {
    // It took this, and was told of the error afterwards.
    if (offered != nullptr && deviation.keeps) {
      Update(deviation, [&](Deviation& one) { one.runs = HeldOf(*offered); });
    }
    return;
  }
  // All of it: what was rejected before too. But what came back after an error is in the response
  // that offers it, and in none before.
  if (deviation.kind == Deviation::Kind::kSilent ||
      (offered == nullptr && !(is_all && was_rejected))) {
    return;
  }
  if (was_rejected) accepted.Add(at->first);
  Erase(at);
}

TypeLedger::Answer TypeLedger::Acked(const Offer& offer, bool is_all) {
  came_with_ = nullptr;
  if (deviations_.empty()) return {};
  return {.accepted = Accept(offer, is_all, {})};
}

TypeLedger::Answer TypeLedger::Nacked(const Offer& offer, bool is_all, const WireStatus& error,
                                      const std::string& nacked_version,
                                      absl::FunctionRef<bool(const std::string&)> still_has,
                                      absl::Time now) {
  Answer answer;
  if (offer.news == nullptr) return answer;
  const auto is_suspect = [&](absl::string_view word) {
    if (offer.news->Find(word) != nullptr) return true;
    // It was rejected before, and is part of this response too.
    const Deviation* const known = is_all ? Find(word) : nullptr;
    return known != nullptr && known->kind == Deviation::Kind::kRejected;
  };
  const std::set<std::string> named = NamesIn(error.message, is_suspect);
  const size_t blamed = named.empty() ? offer.news->size() : named.size();
  const size_t most_reason =
      blamed <= kFewBlamed && with_rejection_ <= kFewRejected ? kMostReason : kMostReasonOfMany;
  const auto rejection = std::make_shared<const Rejection>(
      Rejection{error.code, BoundedText(error.message, most_reason), nacked_version});
  const auto blame = [&](const ResourcePtr& offered) {
    const Deviation* const known = Find(offered->name());
    const bool was_told_since = known != nullptr && known->kind == Deviation::Kind::kErrored;
    if (was_told_since || !still_has(offered->name())) return;
    HeldPtr runs = Before(offer, *offered);
    if (runs != nullptr && runs->version == offered->version()) {
      Forget(offered->name());
      return;
    }
    answer.blamed.Add(offered->name());
    Update(deviations_[offered->name()], [&](Deviation& one) {
      const bool was_rejected = one.kind == Deviation::Kind::kRejected;
      one = {.kind = Deviation::Kind::kRejected,
             .since = was_rejected ? one.since : now,
             .runs = std::move(runs),
             .rejection = rejection,
             .rejected = offered->hash()};
    });
  };
  if (named.empty()) {
    for (const ResourcePtr& offered : *offer.news) blame(offered);
    return answer;
  }
  answer.accepted = Accept(offer, /*is_all=*/false, named);
  for (const std::string& name : named) {
    if (const ResourcePtr* const offered = offer.news->Find(name)) blame(*offered);
  }
  return answer;
}

}  // namespace holdfast
