#include "control/session/response_planner.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

std::string NounOf(absl::string_view type) {
  if (type == kListenerTypeName) return "listener";
  if (type == kRouteConfigTypeName) return "route configuration";
  if (type == kClusterTypeName) return "cluster";
  if (type == kEndpointsTypeName) return "endpoints of cluster";
  return absl::StrCat(type);
}

// Says `error` about `name`, unless that was said.
void SayOnce(const std::string& name, const NameError& error, TypeState& type, NameState& state,
             SendResponse& response) {
  const uint64_t key = KeyOf(error);
  if (state.error_sent == key && !state.is_due) return;
  type.NoteError(state, key);
  response.errors.emplace_back(type.AsAsked(name), error);
}

// What a response said by having this error in it.
ContentHash SaidByError(const std::string& name, uint64_t error_key) {
  return HashOf(absl::StrCat(error_key, ":", name));
}

// Of an answer to everything that changed since the client was last told: which of these names it
// has and are served no more. What it rejected would be rejected again.
std::vector<ResourcePtr> GoneResources(const TypeView& now, const TypeState& type) {
  std::vector<ResourcePtr> gone;
  const auto add = [&](const ResourcePtr& had) {
    if (had == nullptr) return;
    const auto rejected = type.rejected.find(had->name());
    if (rejected == type.rejected.end() || rejected->second != had->hash()) gone.push_back(had);
  };
  for (const std::string& name : type.to_check) {
    if (now.Find(name) != nullptr) continue;
    const auto named = type.names.find(name);
    if (named != type.names.end()) {
      add(named->second.sent);
    } else if (type.base != nullptr) {
      if (const ResourcePtr* const had = type.base->Find(name)) add(*had);
    }
  }
  return gone;
}

// REQUIRES: type.base.
void AppendNews(const TypeView& now, const TypeState& type, std::vector<ResourcePtr>& news) {
  for (const std::string& name : type.to_check) {
    const ResourcePtr* const found = now.Find(name);
    const ResourcePtr* const had = type.base->Find(name);
    if (found != nullptr && (had == nullptr || !IsSame(*had, *found))) news.push_back(*found);
  }
}

// Of nothing that the client asked for anybody knows whether it is there.
bool IsAllUnknown(const View& view, const TypeState& type) {
  if (type.is_wildcard) return !view.never_read.empty() && view.Of(type.type)->resources().empty();
  return absl::c_all_of(type.names,
                        [&](const auto& one) { return view.IsUnknown(type.type, one.first); });
}

// A client takes what is left out for deleted, and until the source is synced nobody knows what is
// to be left out. Such an answer waits, if the client may have something to lose by it. Where a
// part could never be read that may be for long: what is known waits for nothing then.
bool LooksLikeDeletion(const PlanInput& given, const SendResponse& response,
                       const TypeState& type) {
  if (given.view.is_synced) {
    return type.has_earlier_resources && !type.last_said.has_value() &&
           IsAllUnknown(given.view, type);
  }
  const TypeView& now = *given.view.Of(type.type);
  if (type.is_wildcard) return now.resources().empty() || type.has_earlier_resources;
  if (response.resources.empty() && response.errors.empty()) return true;
  return absl::c_any_of(type.names, [&](const auto& one) {
    const auto& [name, state] = one;
    const bool may_have_it = state.sent != nullptr || type.has_earlier_resources;
    return may_have_it && now.Find(name) == nullptr && now.FindError(name) == nullptr;
  });
}

// A client of a full-state type that is told nothing of a name knows by this that there is none;
// but before the source is synced it is not to know.
void NoteLeftOut(const PlanInput& given, const std::string& name, TypeState& type,
                 NameState& state) {
  if (given.view.is_synced) {
    type.NoteWithdrawn(name, state, /*keeps=*/false, given.now);
  } else {
    type.ledger.Silent(name, type.RunsOf(name, state.sent), given.now);
    state.sent = nullptr;
  }
}

// There is no response; who is owed an answer by it goes on waiting.
void NoteUnsaid(const PlanInput& given, const TypeView& now, TypeState& type) {
  for (const auto& [name, state] : type.names) {
    const ResourcePtr* const found = now.Find(name);
    const bool is_told = found != nullptr ? IsSame(state.sent, *found) : state.error_sent != 0;
    if (is_told || (found != nullptr && type.ledger.Find(name) != nullptr)) continue;
    type.ledger.Silent(name, type.RunsOf(name, state.sent), given.now);
  }
}

// Of everything: which of the names that are to be looked at the client is about to lose.
void NoteGone(const TypeView& now, const std::set<std::string>& kept, TypeState& type) {
  if (!type.is_wildcard || type.base == nullptr) return;
  for (const std::string& name : type.to_check) {
    if (now.Find(name) == nullptr && !kept.contains(name) && type.base->Find(name) != nullptr) {
      type.ledger.deleted.Add(name);
    }
  }
}

// Whether parameters and directives of a name are as RFC 3986 has them, which gRPC's core asks for.
// It takes anything in a path.
bool HasUriQuery(absl::string_view name) {
  const size_t begin = name.find_first_of("?#");
  if (begin == absl::string_view::npos) return true;
  const auto is_of_uri = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("-._~!$&'()*+,;=:@/?%", c);
  };
  const absl::string_view rest = name.substr(begin);
  const size_t hash = rest.find('#');
  const absl::string_view query = rest.substr(0, hash);
  if (query.size() == 1) return false;
  if (!absl::c_all_of(query, is_of_uri)) return false;
  return hash == absl::string_view::npos || absl::c_all_of(rest.substr(hash + 1), is_of_uri);
}

bool ByName(const ResourcePtr& a, const ResourcePtr& b) { return a->name() < b->name(); }

// A full state that is sent again, because it would expire, to a client that rejected some of it:
// with what it runs of that. None: something of it is unknown, and would be taken for deleted.
std::optional<SendResponse> AsTaken(const TypeState& type, SendResponse response) {
  ContentHash said;
  std::vector<ResourcePtr> resources;
  for (const ResourcePtr& resource : response.resources) {
    const ResourcePtr taken = type.AsTaken(resource);
    if (taken == nullptr) {
      if (type.ledger.Find(resource->name())->runs != nullptr) return std::nullopt;
      continue;
    }
    said += taken->hash();
    resources.push_back(taken);
  }
  if (resources.empty()) return std::nullopt;
  response.resources = std::move(resources);
  // It is not the version that was rejected.
  response.version = said.Hex();
  return response;
}

}  // namespace

bool CanBeNamedInAnError(const std::string& name, const std::string& type) {
  if (!absl::StartsWith(name, "xdstp:")) return true;
  return HasUriQuery(name) && ResourceName::Parse(name, type).ok();
}

uint64_t KeyOf(const NameError& error) {
  return HashOf(absl::StrCat(error.code, ":", error.message)).low | 1;
}

ContentHash WhatWasSaid(const TypeState& type) {
  ContentHash said;
  if (type.is_wildcard && type.base != nullptr) said += type.base->hash();
  for (const auto& [name, state] : type.names) {
    if (!type.is_wildcard && state.sent != nullptr) said += state.sent->hash();
    if (state.error_sent != 0) said += SaidByError(name, state.error_sent);
  }
  return said;
}

NameError ErrorNow(const View& view, const std::string& type, const std::string& name) {
  if (const NameError* const said = view.Of(type)->FindError(name)) return *said;
  if (view.is_synced && !view.KnowsAbsence(type, name)) {
    return MakeNameError(static_cast<int>(absl::StatusCode::kUnavailable),
                         absl::StrCat(NounOf(type), " ", Quoted(name),
                                      ": the control plane does not know it, but could never read ",
                                      view.never_read, " of its configuration"));
  }
  if (view.is_synced) {
    return MakeNameError(static_cast<int>(absl::StatusCode::kNotFound),
                         absl::StrCat("no ", NounOf(type), " ", Quoted(name),
                                      " in the configuration of the control plane"));
  }
  return MakeNameError(static_cast<int>(absl::StatusCode::kUnavailable),
                       absl::StrCat(NounOf(type), " ", Quoted(name),
                                    ": the control plane has not read its configuration yet"));
}

std::optional<NameError> ErrorOf(const PlanInput& given, const std::string& name, TypeState& type) {
  const bool is_known =
      given.view.is_synced || given.view.Of(type.type)->FindError(name) != nullptr;
  if (!is_known && !type.is_holding) {
    type.is_holding = true;
    type.hold_until = given.now + given.options.hold;
  }
  if (!is_known && given.now < type.hold_until) return std::nullopt;
  return ErrorNow(given.view, type.type, name);
}

bool IsOneStepBehind(const PlanInput& given, const TypeView& now, TypeState& type) {
  if (!std::exchange(type.is_behind, false) || type.base == nullptr) return false;
  const std::optional<TypeView::Step>& step = now.step();
  if (given.view.is_synced && !type.is_due && type.HasBaseAlone() && step.has_value() &&
      step->before == type.base->hash() && (step->gone.empty() || !given.keep_removed)) {
    return true;
  }
  for (std::string& name : NamesThatDiffer(*type.base, now)) type.to_check.insert(std::move(name));
  return false;
}

ResourceList ListOf(const TypeViewPtr& now, std::vector<ResourcePtr> resources) {
  if (resources.empty()) return nullptr;
  if (now->step().has_value() && absl::c_equal(resources, *now->step()->changed)) {
    return now->step()->changed;
  }
  return std::make_shared<const ResourceSet>(std::move(resources));
}

Plan PlanFullState(const PlanInput& given, TypeState& type) {
  const TypeViewPtr& now = given.view.Of(type.type);
  const bool is_step = IsOneStepBehind(given, *now, type);
  const Tp3Mode tp3 = given.options.tp3;
  const std::vector<ResourcePtr> kept =
      given.keep_removed ? GoneResources(*now, type) : std::vector<ResourcePtr>();
  std::set<std::string> kept_names;
  ContentHash said;
  for (const ResourcePtr& resource : kept) {
    said += resource->hash();
    kept_names.insert(resource->name());
  }

  Plan plan;
  std::vector<ResourcePtr> news;
  SendResponse response{.type = type.type, .version = now->version(), .with_ttl = given.with_ttl};
  if (type.is_wildcard) {
    said += now->hash();
    plan.had = type.base;
    if (is_step) {
      plan.news = now->step()->changed;
    } else if (type.base == nullptr) {
      plan.news = AllOf(now);
    } else {
      AppendNews(*now, type, news);
    }
  }
  struct Said {
    uint64_t key = 0;
    bool means_absence = true;
  };
  std::map<const NameState*, Said> errors_said;
  for (auto& [name, state] : type.names) {
    if (const ResourcePtr* const found = now->Find(name)) {
      if (!type.is_wildcard) {
        said += (*found)->hash();
        response.resources.push_back(*found);
        if (!IsSame(state.sent, *found)) news.push_back(*found);
      }
    } else if (tp3 != Tp3Mode::kOff && !kept_names.contains(name) &&
               CanBeNamedInAnError(type.AsAsked(name), type.type)) {
      std::optional<NameError> error = ErrorOf(given, name, type);
      if (!error.has_value()) {
        type.ledger.Silent(name, type.RunsOf(name, state.sent), given.now);
        continue;
      }
      said += SaidByError(name, KeyOf(*error));
      errors_said.emplace(&state, Said{KeyOf(*error), MeansAbsence(*error)});
      // R2.43: with every response, because C-core takes an error that is missing for a deletion.
      if (tp3 == Tp3Mode::kOn || state.error_sent != KeyOf(*error)) {
        response.errors.emplace_back(type.AsAsked(name), *std::move(error));
      }
    }
  }

  const bool is_refresh = !std::exchange(type.to_refresh, {}).empty();
  if (is_refresh && !type.is_due && type.last_said == said) {
    SendResponse again = response;
    if (type.is_wildcard) again.resources.assign(now->resources().begin(), now->resources().end());
    again.resources.insert(again.resources.end(), kept.begin(), kept.end());
    absl::c_sort(again.resources, ByName);
    const auto is_rejected = [&](const ResourcePtr& one) { return type.AsTaken(one) != one; };
    if (absl::c_any_of(again.resources, is_rejected)) {
      type.to_check = std::move(kept_names);
      return {.response = AsTaken(type, std::move(again)), .is_as_taken = true};
    }
    type.is_due = true;
  }

  // Nothing has happened yet: whatever is left of the decision needs no state of the above.
  const bool says_nothing = response.resources.empty() && response.errors.empty() && kept.empty() &&
                            (!type.is_wildcard || now->resources().empty());
  const bool is_first = !type.last_said.has_value();
  // A first answer without anything: whoever returns learns by it what is deleted (R1.41).
  const auto is_all_known = [&] {
    return absl::c_all_of(
        type.names, [&](const auto& one) { return given.view.KnowsAbsence(type.type, one.first); });
  };
  const bool may_say_nothing =
      !is_first || type.is_wildcard || (says_nothing && !type.names.empty() && is_all_known());
  if ((!type.is_due && type.last_said == said) || (says_nothing && !may_say_nothing) ||
      LooksLikeDeletion(given, response, type)) {
    NoteUnsaid(given, *now, type);
    type.is_due = false;
    type.to_check = std::move(kept_names);
    return {};
  }

  for (auto& [name, state] : type.names) {
    const ResourcePtr* const found = now->Find(name);
    const auto error = errors_said.find(&state);
    if (found != nullptr) {
      type.NoteSent(state, *found);
    } else if (error != errors_said.end()) {
      type.NoteWithdrawn(name, state, !error->second.means_absence, given.now);
      type.NoteError(state, error->second.key);
    } else if (!kept_names.contains(name)) {
      NoteLeftOut(given, name, type, state);
    }
    state.is_due = false;
  }
  NoteGone(*now, kept_names, type);
  type.last_said = said;
  type.is_due = false;
  std::erase_if(type.rejected, [&](const auto& one) {
    return now->Find(one.first) == nullptr && !kept_names.contains(one.first);
  });
  // What was kept is looked at again when the other types had their say.
  type.to_check = std::move(kept_names);
  if (!kept.empty()) {
    if (type.is_wildcard)
      response.resources.assign(now->resources().begin(), now->resources().end());
    response.resources.insert(response.resources.end(), kept.begin(), kept.end());
    absl::c_sort(response.resources, ByName);
    if (!now->has_label()) response.version = said.Hex();
  }
  if (type.is_wildcard) {
    type.base = kept.empty() ? now
                             : std::make_shared<const TypeView>(std::move(response.resources),
                                                                response.version);
    response.resources.clear();
    response.all = type.base;
  }
  if (plan.news == nullptr) plan.news = ListOf(now, std::move(news));
  plan.response = std::move(response);
  return plan;
}

Plan PlanChanges(const PlanInput& given, TypeState& type) {
  const TypeViewPtr& now = given.view.Of(type.type);
  Plan plan;
  std::vector<ResourcePtr> news;
  SendResponse response{.type = type.type, .version = now->version(), .with_ttl = given.with_ttl};
  for (const std::string& name : std::exchange(type.to_check, {})) {
    const bool is_refresh = type.to_refresh.erase(name) > 0;
    const auto named = type.names.find(name);
    if (named == type.names.end()) continue;
    NameState& state = named->second;
    if (const ResourcePtr* const found = now->Find(name)) {
      const bool is_news = !IsSame(state.sent, *found);
      if (!is_news && !state.is_due && state.error_sent == 0) {
        ResourcePtr taken = is_refresh ? type.AsTaken(*found) : nullptr;
        if (taken != nullptr) response.resources.push_back(std::move(taken));
        continue;
      }
      if (is_news) news.push_back(*found);
      type.NoteSent(state, *found);
      response.resources.push_back(*found);
    } else if (given.options.tp3 != Tp3Mode::kOff &&
               CanBeNamedInAnError(type.AsAsked(name), type.type)) {
      const std::optional<NameError> error = ErrorOf(given, name, type);
      if (!error.has_value()) {
        type.ledger.Silent(name, type.RunsOf(name, state.sent), given.now);
        continue;
      }
      // Who fails on data errors would drop what others still refer to.
      if (given.keep_removed && state.sent != nullptr && !state.is_due) {
        type.to_check.insert(name);
        continue;
      }
      SayOnce(name, *error, type, state, response);
      type.NoteWithdrawn(name, state, !MeansAbsence(*error), given.now);
      state.is_due = false;
    } else {
      type.ledger.Silent(name, type.RunsOf(name, state.sent), given.now);
    }
  }
  type.is_due = false;
  type.is_behind = false;
  plan.news = ListOf(now, std::move(news));
  if (!response.resources.empty() || !response.errors.empty()) plan.response = std::move(response);
  return plan;
}

}  // namespace holdfast
