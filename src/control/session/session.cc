// Requests and their answers; what is sent, and when, is in session_pump.cc.
#include "control/session/session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "control/session/glob_of.h"
#include "control/session/session_state.h"
#include "wire/envelope.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr absl::string_view kTtlFeature = "xds.config.supports-resource-ttl";
// SotW: a TTL is in a wrapper, which not everybody unwraps. Nobody agrees on the word (R1.08).
constexpr absl::string_view kWrapperFeatures[] = {"xds.config.resource-in-sotw",
                                                  "xds.config.supports-resource-in-sotw",
                                                  "envoy.config.resource-in-sotw"};

// Of one stream: nobody has as many.
constexpr size_t kMostTypes = 100;

// What is kept room for: in the rule one response is answered before the next is sent.
constexpr size_t kFewUnanswered = 1;

int RankOf(absl::string_view type) {
  constexpr absl::string_view kOrder[] = {kClusterTypeName, kEndpointsTypeName, kListenerTypeName,
                                          kRouteConfigTypeName};
  return static_cast<int>(absl::c_find(kOrder, type) - std::begin(kOrder));
}

// None: it is the request itself. `spellings` are those of what it asks for.
std::optional<DeltaDiscoveryRequest> CanonicalForm(const DeltaDiscoveryRequest& request,
                                                   Spellings& spellings) {
  const auto is_xdstp = [](const std::string& name) { return absl::StartsWith(name, "xdstp:"); };
  if (absl::c_none_of(request.subscribe, is_xdstp) &&
      absl::c_none_of(request.unsubscribe, is_xdstp) &&
      absl::c_none_of(request.initial_resource_versions,
                      [&](const auto& one) { return is_xdstp(one.first); })) {
    return std::nullopt;
  }
  const std::string type(WithoutTypeUrlPrefix(request.type_url));
  DeltaDiscoveryRequest canonical = request;
  if (std::optional<CanonicalNames> names = Canonical(request.subscribe, type)) {
    canonical.subscribe = std::move(names->names);
    spellings = std::move(names->spellings);
  }
  if (std::optional<CanonicalNames> names = Canonical(request.unsubscribe, type)) {
    canonical.unsubscribe = std::move(names->names);
  }
  canonical.initial_resource_versions.clear();
  for (const auto& [name, version] : request.initial_resource_versions) {
    canonical.initial_resource_versions.insert_or_assign(CanonicalName(name, type), version);
  }
  return canonical;
}

// Of a nonce that this session may have sent; 0 for all others.
uint64_t NumberOf(const std::string& nonce) {
  uint64_t number = 0;
  return absl::SimpleAtoi(nonce, &number) && absl::StrCat(number) == nonce ? number : 0;
}

}  // namespace

bool Session::State::TypeOrder::operator()(const std::string& a, const std::string& b) const {
  return std::make_tuple(RankOf(a), absl::string_view(a)) <
         std::make_tuple(RankOf(b), absl::string_view(b));
}

Session::State::State(Variant variant, const SessionOptions& options, ViewPtr view,
                      std::string peer)
    : variant_(variant),
      options_(options),
      peer_(std::move(peer)),
      view_(std::move(view)),
      was_synced_(view_->is_synced),
      was_never_read_(view_->never_read) {}

SessionEffects Session::State::Handle(absl::Time now, const SessionEvent& event) {
  if (has_ended_ && !std::holds_alternative<ClientLeft>(event)) return {};
  now_ = now;
  std::visit([this](const auto& one) { On(one); }, event);
  if (!has_ended_) Pump();
  return std::exchange(effects_, {});
}

void Session::State::End(absl::Status status) {
  has_ended_ = true;
  effects_.emplace_back(EndStream{std::move(status)});
}

TypeState* Session::State::Greet(const std::optional<Node>& node, const std::string& type_url) {
  if (!was_greeted_) {
    was_greeted_ = true;
    if (node.has_value()) {
      node_ = {.id = node->id,
               .cluster = node->cluster,
               .region = node->locality.region,
               .zone = node->locality.zone,
               .sub_zone = node->locality.sub_zone,
               .user_agent =
                   absl::StrCat(node->user_agent_name, node->user_agent_version.empty() ? "" : " ",
                                node->user_agent_version)};
      const auto has = [&](absl::string_view feature) {
        return absl::c_linear_search(node->client_features, feature);
      };
      knows_ttl_ = has(kTtlFeature) &&
                   (variant_ == Variant::kDelta || absl::c_any_of(kWrapperFeatures, has));
    }
  }
  const std::string type(WithoutTypeUrlPrefix(type_url));
  if (type.empty()) {
    End(absl::InvalidArgumentError(
        absl::StrCat("a request without type_url (got ", Quoted(type_url),
                     "); on an aggregated stream every request names its type")));
    return nullptr;
  }
  if (types_.size() >= kMostTypes && !types_.contains(type)) {
    End(absl::ResourceExhaustedError(
        absl::StrCat("this stream asks for more than ", kMostTypes, " types of resources")));
    return nullptr;
  }
  effects_.reserve(kFewEffects);
  effects_.emplace_back(CountSession{CountSession::What::kRequest, type});
  return &types_.try_emplace(type, type).first->second;
}

void Session::State::On(const RequestReceived& event) {
  const DiscoveryRequest& request = event.request;
  const bool is_first = !types_.contains(std::string(WithoutTypeUrlPrefix(request.type_url)));
  TypeState* const type = Greet(request.node, request.type_url);
  if (type == nullptr) return;
  if (is_first && !request.version_info.empty()) {
    type->has_earlier_resources = true;
    type->ledger.CameWith(request.version_info);
  }
  // R1.37: what answers an older response is overtaken by the answer to the newest, which is on
  // its way and has the whole list too. A nonce of another stream says nothing.
  const uint64_t nonce = NumberOf(request.response_nonce);
  const bool is_stale = nonce != 0 && nonce < type->last_nonce;
  Answered(*type, request.response_nonce, request.error_detail);
  std::optional<CanonicalNames> canonical = Canonical(request.resource_names, type->type);
  const NameList names = canonical ? NameList(std::move(canonical->names)) : request.resource_names;
  const SubscriptionChange change =
      is_stale ? ApplyStaleSotwNames(names, *type) : ApplySotwNames(names, *type);
  ApplySpellings(canonical ? canonical->spellings : Spellings(), change, *type);
  if (!IsWithinLimits(change, *type)) return;
  if (change.asked.empty() && !change.unfollowed.empty() && type->last_said.has_value()) {
    type->last_said = WhatWasSaid(*type);
  }
  Carry(change, *type);
}

void Session::State::On(const DeltaRequestReceived& event) {
  Spellings spellings;
  const std::optional<DeltaDiscoveryRequest> canonical = CanonicalForm(event.request, spellings);
  const DeltaDiscoveryRequest& request = canonical ? *canonical : event.request;
  const bool is_first = !types_.contains(std::string(WithoutTypeUrlPrefix(request.type_url)));
  TypeState* const type = Greet(request.node, request.type_url);
  if (type == nullptr) return;
  Answered(*type, request.response_nonce, request.error_detail);
  // R1.62: names count whatever the nonce is.
  const SubscriptionChange change = ApplyDeltaNames(request, is_first, *type);
  ApplySpellings(spellings, change, *type);
  if (!IsWithinLimits(change, *type)) return;
  if (is_first) AdoptInitialVersions(request, *type);
  Carry(change, *type);
}

bool Session::State::IsWithinLimits(const SubscriptionChange& change, TypeState& type) {
  for (const std::string& name : change.followed) type.name_bytes += name.size();
  for (const std::string& name : change.unfollowed) type.name_bytes -= name.size();
  size_t bytes = 0;
  for (const auto& [_, one] : types_) bytes += one.name_bytes + one.left_name_bytes;
  const size_t names = type.names.size() + type.globs.size();
  const bool has_few_names = names + type.left_names <= options_.most_names;
  if (has_few_names && bytes <= options_.most_name_bytes) return true;
  for (const std::string& name : change.unfollowed) {
    effects_.emplace_back(Unfollow{type.type, name});
  }
  if (has_few_names) {
    End(absl::ResourceExhaustedError(absl::StrCat(
        "the names that this stream asks for have ", bytes, " bytes, more than ",
        options_.most_name_bytes, " (a limit without an option); ask for fewer on each stream")));
    return false;
  }
  End(absl::ResourceExhaustedError(
      absl::StrCat("this stream asks for more than ", options_.most_names, " names of type ",
                   type.type, " (--max-names)",
                   names > options_.most_names
                       ? ""
                       : "; those it has left count until it answers what it was sent")));
  return false;
}

// R1.65: what a returning client has needs no repetition, unless it waits for it because it was
// sent another version of the parent.
void Session::State::AdoptInitialVersions(const DeltaDiscoveryRequest& request, TypeState& type) {
  if (!request.initial_resource_versions.empty()) is_returning_ = true;
  std::set<std::string> awaited;
  std::erase_if(parents_sent_, [&](const auto& parent) {
    const std::vector<ResourceKey>& children = parent.second->children();
    if (children.front().type != type.type) return false;  // all of them are of one type
    for (const ResourceKey& child : children) awaited.insert(child.name);
    return true;
  });
  const TypeViewPtr& now = view_->Of(type.type);
  for (const auto& [name, version] : request.initial_resource_versions) {
    if (name.empty() || name == "*") continue;
    const ResourcePtr* const found = now->Find(name);
    const bool is_awaited = awaited.contains(name);
    const bool is_current = found != nullptr && (*found)->version() == version && !is_awaited;
    const auto named = type.names.find(name);
    const bool is_asked_for = named != type.names.end() || (type.is_wildcard && found != nullptr);
    if (!is_current && is_asked_for && !is_awaited) type.ledger.CameWith(name, version, now_);
    if (named != type.names.end()) {
      if (is_current) type.NoteSent(named->second, *found);
    } else if (type.is_wildcard) {
      // Some version that is not ours: equal to none.
      type.since_base[name] = is_current ? (*found)->hash() : ContentHash();
    }
    if (!is_current) type.in_doubt.insert(name);
    // What is gone from a collection since then is to be said, also when everything else is left.
    GlobState* const glob = named == type.names.end() ? type.GlobWith(name) : nullptr;
    if (glob == nullptr) continue;
    glob->sent.emplace(name, is_current ? (*found)->hash() : ContentHash());
    type.to_check.insert(name);
  }
}

void Session::State::Carry(const SubscriptionChange& change, TypeState& type) {
  for (const std::string& name : change.unfollowed) {
    effects_.emplace_back(Unfollow{type.type, name});
    type.with_ttl.erase(name);
  }
  NoteUnfollowed(type, change.unfollowed);
  if (!change.asked.empty()) type.ledger.asked_at = now_;
  for (const std::string& name : change.followed) effects_.emplace_back(Follow{type.type, name});
  std::map<absl::string_view, std::set<std::string>> globs;  // that were asked for, by directory
  for (const std::string& name : change.asked) {
    type.is_urgent = true;
    if (name == "*") {
      type.is_due = true;
      continue;
    }
    if (variant_ == Variant::kSotw && IsFullStateType(type.type)) type.is_due = true;
    type.to_check.insert(name);
    const auto glob = type.globs.find(name);
    if (glob == type.globs.end()) continue;
    globs[DirectoryOf(name)].insert(name);
    for (const auto& [member, version] : glob->second.sent) type.to_check.insert(member);
  }
  const TypeView& now = *view_->Of(type.type);
  for (const auto& [directory, asked] : globs) {
    const auto check = [&asked = asked, &type](const std::string& name) {
      if (asked.contains(GlobOf(name))) type.to_check.insert(name);
    };
    ForEachBelow(directory, now.resources(), check);
    ForEachBelow(directory, now.errors(), check);
  }
  if (is_writing_ && type.to_check.size() >= type.drop_at) DropPassingNames(type);
}

void Session::State::Answered(TypeState& type, const std::string& nonce,
                              const std::optional<WireStatus>& error) {
  const uint64_t number = NumberOf(nonce);
  const auto answered = absl::c_find_if(
      type.unanswered, [number](const Unanswered& one) { return one.nonce == number; });
  if (answered == type.unanswered.end()) return;  // a nonce of another stream, or answered before
  NoteAnswer(type, answered, error);
  // SotW: what came before it will not be answered any more.
  if (variant_ == Variant::kSotw) {
    type.unanswered.erase(type.unanswered.begin(), std::next(answered));
  } else {
    type.unanswered.erase(answered);
  }
  if (!type.unanswered.empty()) return;
  if (type.unanswered.capacity() > kFewUnanswered) type.unanswered.shrink_to_fit();
  if (!type.is_wildcard) type.ForgetEverything();
}

void Session::State::On(const ViewChanged& event) {
  view_ = event.view;
  const bool became_synced = view_->is_synced && !was_synced_;
  was_synced_ = view_->is_synced;
  const bool absence_is_another = view_->never_read != was_never_read_;
  was_never_read_ = view_->never_read;
  for (auto& [name, type] : types_) {
    if (became_synced) {
      type.is_holding = false;
      // What it asked for meanwhile is answered at once; only changes wait.
      type.is_urgent |= type.OwesAnswer();
      CheckAllNames(type);
      continue;
    }
    if (absence_is_another) CheckAbsentNames(type);
    const auto changed = event.changes->find(name);
    if (changed == event.changes->end()) continue;
    if (type.HasBaseAlone()) {
      type.is_behind = true;
    } else if (type.is_wildcard || !type.globs.empty()) {
      type.to_check.insert(changed->second.begin(), changed->second.end());
    } else if (type.names.size() < changed->second.size()) {
      for (const auto& [one, state] : type.names) {
        if (absl::c_binary_search(changed->second, one)) type.to_check.insert(one);
      }
    } else {
      for (const std::string& one : changed->second) {
        if (type.names.contains(one)) type.to_check.insert(one);
      }
    }
    if (type.to_check.size() >= type.drop_at) DropPassingNames(type);
    if (type.ledger.changed_at == absl::InfinitePast() && type.HasWork()) {
      type.ledger.changed_at =
          event.committed_at == absl::InfinitePast() ? now_ : event.committed_at;
    }
  }
}

// Names may come and go while a client does not read. Those that were never sent and are gone need
// no look.
void Session::State::DropPassingNames(TypeState& type) const {
  const TypeView& now = *view_->Of(type.type);
  std::erase_if(type.to_check, [&](const std::string& name) {
    if (now.Find(name) != nullptr || now.FindError(name) != nullptr) return false;
    if (type.names.contains(name) || type.globs.contains(name)) return false;
    if (type.HadInWildcard(name).has_value()) return false;
    const GlobState* const glob = type.GlobWith(name);
    return glob == nullptr || (!glob->sent.contains(name) && !glob->errors_sent.contains(name));
  });
  type.drop_at = std::max(2 * type.to_check.size(), TypeState::kLeastDropAt);
}

// What is missing may be missing for another reason than before.
void Session::State::CheckAbsentNames(TypeState& type) {
  for (const auto& [name, state] : type.names) {
    if (state.sent == nullptr) type.to_check.insert(name);
  }
  for (const auto& [name, glob] : type.globs) {
    if (glob.sent.empty()) type.to_check.insert(name);
  }
  type.to_check.insert(type.in_doubt.begin(), type.in_doubt.end());
  type.is_due |= type.is_everything_owed;
}

// Everything may have another answer than before.
void Session::State::CheckAllNames(TypeState& type) {
  for (const auto& [name, state] : type.names) type.to_check.insert(name);
  for (const auto& [name, glob] : type.globs) {
    type.to_check.insert(name);
    for (const auto& [member, version] : glob.sent) type.to_check.insert(member);
  }
  if (!type.globs.empty()) {
    for (const auto& [member, error] : view_->Of(type.type)->errors()) type.to_check.insert(member);
  }
  if (!type.is_wildcard && type.globs.empty()) return;
  for (const auto& resource : view_->Of(type.type)->resources()) {
    type.to_check.insert(resource->name());
  }
  if (type.base != nullptr) {
    for (const auto& resource : type.base->resources()) type.to_check.insert(resource->name());
  }
  for (const auto& [name, had] : type.since_base) type.to_check.insert(name);
  type.is_due |= type.is_everything_owed;
}

void Session::State::On(const WriteDone&) { is_writing_ = false; }

void Session::State::On(const TimeReached&) {
  alarm_ = absl::InfiniteFuture();
  for (auto& [name, type] : types_) {
    if (type.is_holding && now_ >= type.hold_until && type.hold_until != absl::InfinitePast()) {
      CheckAllNames(type);
      type.is_urgent = true;
      type.hold_until = absl::InfinitePast();
    }
    if (now_ >= type.refresh_at) {
      type.refresh_at = absl::InfiniteFuture();
      const TypeView& now = *view_->Of(name);
      for (const std::string& one : std::exchange(type.with_ttl, {})) {
        const ResourcePtr* const found = now.Find(one);
        const ResourcePtr taken = found == nullptr ? nullptr : type.AsTaken(*found);
        if (taken == nullptr || !taken->ttl().has_value()) continue;
        type.to_refresh.insert(one);
        type.to_check.insert(one);
        type.is_urgent = true;
      }
    }
  }
}

void Session::State::On(const ClientLeft&) {
  has_ended_ = true;
  for (auto& [name, type] : types_) {
    if (type.is_wildcard) effects_.emplace_back(Unfollow{name, "*"});
    for (const auto& [one, state] : type.names) effects_.emplace_back(Unfollow{name, one});
    for (const auto& [one, glob] : type.globs) effects_.emplace_back(Unfollow{name, one});
    if (type.errors_counted != 0) {
      effects_.emplace_back(ErrorsOutstanding{name, -type.errors_counted});
    }
  }
  types_.clear();
}

Session::Session(Variant variant, const SessionOptions& options, ViewPtr view, std::string peer)
    : state_(std::make_unique<State>(variant, options, std::move(view), std::move(peer))) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

SessionEffects Session::Handle(absl::Time now, const SessionEvent& event) {
  return state_->Handle(now, event);
}
void Session::Renew(ViewPtr view) { state_->Renew(std::move(view)); }
const ClientNode& Session::node() const { return state_->node(); }
SessionReport Session::Report(const ReportOptions& options) const {
  return state_->Report(options);
}
HeldBack Session::held_back() const { return state_->held_back(); }

}  // namespace holdfast
