#include "client/protocol/response_judge.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error_detail.h"
#include "base/outside_text.h"
#include "client/protocol/watcher_news.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

constexpr absl::string_view kInResources = "resources";
constexpr absl::string_view kInResourceErrors = "resource_errors";

// Lines that one response may add to the log, besides the one of its NACK.
constexpr size_t kMostLogged = 5;
// Different fields that are logged as not enforced in the life of a client.
constexpr size_t kMostNotEnforced = 200;

// So many entries ahead of the one that is judged, the next is fetched from memory: most of the
// cost of an unchanged response is waiting for it.
constexpr size_t kReadAhead = 4;

void ReadAhead(const ResourceEntry& resource, const CacheEntry* entry) {
  if (entry == nullptr || entry->bytes() == nullptr) return;
  constexpr size_t kLine = 64;
  // The processor goes on by itself from there.
  for (size_t at = 0; at < 4 * kLine && at < resource.body.size(); at += kLine) {
    __builtin_prefetch(resource.body.data() + at);
  }
  for (size_t at = 0; at < 4 * kLine && at < entry->bytes()->size(); at += kLine) {
    __builtin_prefetch(entry->bytes()->data() + at);
  }
}

// "virtual_hosts[3].routes[12].retry_policy" as "virtual_hosts[].routes[].retry_policy": a field is
// logged once, not for each place it stands in.
std::string WithoutPlaces(absl::string_view path) {
  std::string result;
  bool is_in_brackets = false;
  for (const char c : path) {
    if (c == ']') is_in_brackets = false;
    if (!is_in_brackets) result += c;
    if (c == '[') is_in_brackets = true;
  }
  return result;
}

}  // namespace

ResponseJudge::ResponseJudge(const JudgeContext& context, SubscribedType& type, StreamId stream,
                             uint64_t serial, Turn& turn)
    : context_(context), type_(type), stream_(stream), serial_(serial), turn_(turn) {}

ResponseVerdict ResponseJudge::Judge(const DiscoveryResponse& response) {
  version_ = std::make_shared<const std::string>(response.version_info);
  if (!response.problem.empty()) {
    nack_.Add(response.problem);
  } else {
    MatchResources(response);
    if (context_.data_error_handling) MatchErrors(response);
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (i + kReadAhead < resources_.size()) {
        ReadAhead(response.resources[i + kReadAhead], resources_[i + kReadAhead]);
      }
      if (resources_[i] != nullptr) JudgeResource(i, response.resources[i], *resources_[i]);
    }
    for (const auto& [entry, error] : errors_) {
      if (newest_error_[entry] == error) JudgeError(*error, *entry);
    }
    // An entry that we cannot name may be any of those we miss (DEC-13).
    if (type_.type.is_full_state() && !is_a_name_unknown_ && mentioned_ < type_.table.size()) {
      for (const auto& [name, entry] : type_.table) {
        if (entry->last_mention != serial_) JudgeAbsence(*entry);
      }
    }
  }
  if (logged_ > kMostLogged) {
    turn_.Order(
        Log{Severity::kWarning, absl::StrCat("and ", logged_ - kMostLogged, " more of type ",
                                             type_.type.type_name(), " in the same response")});
  }
  verdict_.nack = nack_.Text();
  return std::move(verdict_);
}

void ResponseJudge::MatchResources(const DiscoveryResponse& response) {
  resources_.reserve(response.resources.size());
  CacheEntry* previous = nullptr;
  for (size_t i = 0; i < response.resources.size(); ++i) {
    const ResourceEntry& resource = response.resources[i];
    CacheEntry* entry = nullptr;
    if (resource.name.empty()) {
      is_a_name_unknown_ = true;
      ++verdict_.invalid;
      nack_.Add(kInResources, i, type_.type.noun(), "",
                resource.problem.empty() ? "has no name" : absl::string_view(resource.problem));
    } else {
      entry = Match(kInResources, i, resource.name, type_.table.FindNext(previous, resource.name));
    }
    if (entry != nullptr) {
      previous = entry;
      if (entry->last_mention == serial_) {
        listed_twice_.insert(entry);
        entry = nullptr;  // One event of a name: the first place speaks for all.
      } else {
        Mention(*entry);
      }
    }
    resources_.push_back(entry);
  }
}

void ResponseJudge::MatchErrors(const DiscoveryResponse& response) {
  for (size_t i = 0; i < response.resource_errors.size(); ++i) {
    const ResourceError& error = response.resource_errors[i];
    if (!error.problem.empty()) {
      nack_.Add(kInResourceErrors, i, type_.type.noun(), error.name, error.problem);
      // It says nothing, yet it speaks of a name, which hence was not deleted (R2.22).
      if (error.name.empty()) is_a_name_unknown_ = true;
      if (CacheEntry* entry = type_.table.Find(error.name)) entry->last_mention = serial_;
      continue;
    }
    if (error.name == "*") continue;  // No wildcard has errors (R2.39).
    CacheEntry* entry = Match(kInResourceErrors, i, error.name, type_.table.Find(error.name));
    if (entry == nullptr) continue;
    errors_.emplace_back(entry, &error);
    const auto [newest, is_first] = newest_error_.try_emplace(entry, &error);
    if (!is_first) {
      newest->second = &error;
      nack_.Add(kInResourceErrors, i, type_.type.noun(), error.name,
                "is listed more than once; the last error counts");
    } else if (entry->last_mention == serial_) {
      nack_.Add(kInResourceErrors, i, type_.type.noun(), error.name,
                "is in resources and in resource_errors; the error counts");
    }
    Mention(*entry);
  }
}

// The subscribed entry of that name: the one that was found under it as it stands, or under its
// canonical form. Null if there is none: what we did not ask for is dropped, valid or not (R1.14,
// DEC-14).
CacheEntry* ResponseJudge::Match(absl::string_view list, size_t index, absl::string_view name,
                                 CacheEntry* found) {
  if (found != nullptr || !absl::StartsWith(name, "xdstp:")) return found;
  const absl::StatusOr<ResourceName> parsed = ResourceName::Parse(name, type_.type.type_name());
  if (!parsed.ok()) {
    ++verdict_.invalid;
    nack_.Add(list, index, type_.type.noun(), name, parsed.status().message());
    return nullptr;
  }
  return type_.table.Find(parsed->Text());
}

void ResponseJudge::Mention(CacheEntry& entry) {
  if (entry.last_mention != serial_) ++mentioned_;
  entry.last_mention = serial_;
  entry.mentioned_on = stream_;
  context_.timers.Cancel(turn_, entry);
  entry.is_timer_owed = false;
  if (entry.is_deletion_ignored) EndIgnoredDeletion(entry);
}

void ResponseJudge::JudgeResource(size_t index, const ResourceEntry& resource, CacheEntry& entry) {
  // Named by an error as well: that is the one event of this name (DEC-08).
  if (!newest_error_.empty() && newest_error_.contains(&entry)) return;
  if (!listed_twice_.empty() && listed_twice_.contains(&entry)) {
    Reject(index, entry, "is listed more than once in one response");
  } else if (!resource.problem.empty()) {
    Reject(index, entry, resource.problem);
  } else if (!resource.has_body) {
    // A heartbeat of a TTL, which we never ask for; no bytes may well decode as an empty resource.
    Reject(index, entry, "has no resource inside");
  } else {
    Use(index, resource, entry);
  }
}

void ResponseJudge::Use(size_t index, const ResourceEntry& resource, CacheEntry& entry) {
  if (entry.IsSameBytes(resource.body)) {
    ++verdict_.valid;
    entry.Confirm(version_, turn_.now);
    TellAllClear(turn_, entry);
    return;
  }
  DecodedResource decoded = type_.type.Decode(resource.body, context_.decode);
  if (decoded.value == nullptr) {
    Reject(index, entry, decoded.errors.Text());
    return;
  }
  ++verdict_.valid;
  if (!decoded.not_enforced.empty()) LogNotEnforced(entry, decoded.not_enforced);
  const bool is_equal = entry.has_resource() && entry.value()->Equals(*decoded.value);
  entry.Accept(is_equal ? entry.value() : std::move(decoded.value),
               std::make_shared<const std::string>(resource.body), version_, turn_.now);
  if (is_equal) {
    TellAllClear(turn_, entry);
  } else {
    TellResource(turn_, entry);
  }
}

void ResponseJudge::Reject(size_t index, CacheEntry& entry, absl::string_view why) {
  ++verdict_.invalid;
  nack_.Add(kInResources, index, type_.type.noun(), entry.name(), why);
  const Verdict verdict = holdfast::Judge(Failure::kNacked, CircumstancesOf(entry));
  Fail(entry, verdict,
       context_.errors.Rejected(type_.type, entry.name(), why, *version_,
                                ConsequenceOf(entry, verdict.drop_cached), turn_.now));
}

void ResponseJudge::JudgeError(const ResourceError& error, CacheEntry& entry) {
  ++verdict_.invalid;  // as gRPC counts them (DEC-17)
  const Verdict verdict =
      holdfast::Judge(FailureOfServerError(CodeOnWire(error.code)), CircumstancesOf(entry));
  SharedError detail = context_.errors.Reported(
      type_.type, error, *version_, ConsequenceOf(entry, verdict.drop_cached), turn_.now);
  if (!IsSameNews(entry.error(), detail)) LogFailure(*detail);
  Fail(entry, verdict, std::move(detail));
}

void ResponseJudge::JudgeAbsence(CacheEntry& entry) {
  // Never received: it may have been asked for after the server wrote this; only its timer or the
  // server's own word may declare it absent (R1.43).
  if (!entry.has_resource()) return;
  // Said once, remembered until there is news of the name itself (R2.16, DEC-04).
  if (entry.state() == CacheState::kReceivedError) return;
  if (entry.state() == CacheState::kDoesNotExist) return;  // told before (DEC-09)

  const Verdict verdict = holdfast::Judge(Failure::kDeleted, CircumstancesOf(entry));
  if (verdict.delivery == Delivery::kNothing) {
    if (entry.is_deletion_ignored) return;
    entry.is_deletion_ignored = true;
    turn_.Order(Log{Severity::kWarning,
                    absl::StrCat(type_.type.noun(), " ", Quoted(entry.name()),
                                 ": deleted by xds server ", Quoted(context_.errors.server_uri()),
                                 "; ignored, because the server has ignore_resource_deletion; "
                                 "keeping version ",
                                 BoundedText(entry.version()))});
    return;
  }
  SharedError detail = context_.errors.Deleted(
      type_.type, entry.name(), *version_, ConsequenceOf(entry, verdict.drop_cached), turn_.now);
  LogFailure(*detail);
  Fail(entry, verdict, std::move(detail));
}

Circumstances ResponseJudge::CircumstancesOf(const CacheEntry& entry) const {
  const ServerFeatures& features = context_.decode.features;
  return {.is_cached = entry.has_resource(),
          .fail_on_data_errors = features.fail_on_data_errors,
          .resource_timer_is_transient_error = features.resource_timer_is_transient_error,
          .ignore_resource_deletion = features.ignore_resource_deletion,
          .data_error_handling = context_.data_error_handling};
}

Consequence ResponseJudge::ConsequenceOf(const CacheEntry& entry, bool drop_cached) const {
  return {.is_cached = entry.has_resource(),
          .drop_cached = drop_cached,
          .version = entry.version(),
          .why_dropped = context_.data_error_handling
                             ? "the server has fail_on_data_errors"
                             : "the server has no ignore_resource_deletion"};
}

void ResponseJudge::Fail(CacheEntry& entry, const Verdict& verdict, SharedError error) {
  entry.Fail(*verdict.state, std::move(error), verdict.drop_cached, version_, turn_.now);
  TellError(turn_, entry, entry.error());
}

void ResponseJudge::LogFailure(const ErrorDetail& detail) {
  if (++logged_ <= kMostLogged) turn_.Order(Log{Severity::kWarning, TextOf(detail)});
}

void ResponseJudge::LogNotEnforced(const CacheEntry& entry, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (context_.not_enforced.size() >= kMostNotEnforced) return;
    const std::string field = absl::StrCat(type_.type.noun(), " ", WithoutPlaces(path));
    if (!context_.not_enforced.insert(field).second) continue;
    turn_.Order(
        Log{Severity::kInfo,
            absl::StrCat(type_.type.noun(), " ", Quoted(entry.name()), ": ", BoundedText(path),
                         ": accepted, but not enforced by this build (said once a field)")});
  }
}

void ResponseJudge::EndIgnoredDeletion(CacheEntry& entry) {
  entry.is_deletion_ignored = false;
  turn_.Order(
      Log{Severity::kInfo, absl::StrCat(type_.type.noun(), " ", Quoted(entry.name()),
                                        ": xds server ", Quoted(context_.errors.server_uri()),
                                        " has it again; its ignored deletion is over")});
}

}  // namespace holdfast
