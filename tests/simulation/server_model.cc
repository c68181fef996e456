#include "tests/simulation/server_model.h"

#include <array>
#include <string>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr std::array<int32_t, 7> kErrorCodes = {5, 7, 14, 13, 2, 99, -1};
constexpr std::array<absl::string_view, 3> kErrorMessages = {"no such tenant", "", "out of disk"};

Truth RandomTruth(Chance& chance) {
  Truth truth;
  const int dice = chance.Below(10);
  if (dice < 5) {
    truth.kind = Truth::kValid;
    truth.content = chance.Below(kContents);
  } else if (dice < 6) {
    truth.kind = Truth::kInvalid;
  } else if (dice < 8) {
    truth.kind = Truth::kError;
    truth.code = kErrorCodes[static_cast<size_t>(chance.Below(kErrorCodes.size()))];
    truth.message = chance.Below(kErrorMessages.size());
  }
  return truth;
}

NameSet NamesOf(const DiscoveryRequest& request) {
  NameSet names;
  for (const std::string& name : request.resource_names) {
    const int index = IndexOfName(name);
    if (index >= 0) names.set(static_cast<size_t>(index));
  }
  return names;
}

}  // namespace

ServerModel::ServerModel(Chance& chance)
    : chance_(chance), repeats_errors_(chance.OneIn(2)), skips_when_current_(chance.OneIn(2)) {
  for (Truth& truth : truths_) truth = RandomTruth(chance_);
  for (Type& type : types_) type.version = ++last_number_;
}

void ServerModel::ChangeTruth() {
  const ResourceKey key = {chance_.Below(kTypes), chance_.Below(kNames)};
  truths_[key.index()] = RandomTruth(chance_);
  Type& type = types_[At(key.type)];
  type.version = ++last_number_;
  type.held.reset(At(key.name));
  type.error_told.reset(At(key.name));
  if (type.subscribed[At(key.name)]) type.owed.set(At(key.name));
}

void ServerModel::Connect() {
  for (Type& type : types_) {
    type.was_asked = false;
    type.is_stale = false;
    type.nonce = 0;
    type.subscribed.reset();
    type.owed.reset();
    type.error_told.reset();
    type.in_last_answer.reset();
  }
}

// A server may leave out what the client has, if it says so (R1.39); what it was never known to
// have must be sent.
bool ServerModel::MaySkip(int type, const DiscoveryRequest& request, const NameSet& names) const {
  const Type& state = types_[At(type)];
  if (!skips_when_current_ || state.is_tainted) return false;
  if (request.version_info != NumberText(state.version)) return false;
  for (int name = 0; name < kNames; ++name) {
    if (!names[At(name)] || state.held[At(name)]) continue;
    if (truth({type, name}).kind != Truth::kAbsent) return false;
  }
  return true;
}

void ServerModel::Receive(const DiscoveryRequest& request) {
  const int index = IndexOfTypeUrl(request.type_url);
  HOLDFAST_CHECK(index >= 0);
  Type& type = types_[At(index)];
  const bool is_answer = type.nonce != 0 && request.response_nonce == NumberText(type.nonce);
  // Stale: the client has not seen our newest yet, and will speak again when it has. What it wants
  // is noted, but not answered before that (R1.37).
  type.is_stale = !request.response_nonce.empty() && !is_answer;
  if (is_answer) {
    const bool is_ack = !request.error_detail.has_value() && type.is_last_honest;
    if (is_ack) type.held |= type.in_last_answer;
    type.in_last_answer.reset();  // Later requests with this nonce answer nothing.
  }

  const NameSet names = NamesOf(request);
  const NameSet added = names & ~type.subscribed;
  type.subscribed = names;
  type.held &= names;
  type.owed &= names;
  type.error_told &= names & ~added;
  const bool skip = !type.was_asked && MaySkip(index, request, names);
  type.was_asked = true;
  if (skip) return;
  type.owed |= added;
  type.held &= ~added;
}

void ServerModel::NeverReceived(const DiscoveryRequest& request) {
  types_[At(IndexOfTypeUrl(request.type_url))].held &= NamesOf(request);
}

bool ServerModel::HasNews(int type) const {
  const Type& state = types_[At(type)];
  if (state.is_stale) return false;
  if (IsFullState(type)) return state.owed.any();
  for (int name = 0; name < kNames; ++name) {
    if (state.owed[At(name)] && truth({type, name}).kind != Truth::kAbsent) return true;
  }
  return false;
}

bool ServerModel::HasNews() const {
  for (int type = 0; type < kTypes; ++type) {
    if (HasNews(type)) return true;
  }
  return false;
}

DiscoveryResponse ServerModel::Begin(int type) {
  Type& state = types_[At(type)];
  state.nonce = ++last_number_;
  state.in_last_answer.reset();
  state.is_last_honest = true;
  DiscoveryResponse response;
  response.type_url = TypeUrlAt(type);
  response.version_info = NumberText(state.version);
  response.nonce = NumberText(state.nonce);
  return response;
}

void ServerModel::AddResource(DiscoveryResponse& response, absl::string_view name,
                              absl::string_view body) {
  ResourceEntry& entry = response.resources.emplace_back();
  entry.name = name;
  entry.type_url = response.type_url;
  entry.body = body;
  entry.has_body = true;
}

void ServerModel::AddTruth(DiscoveryResponse& response, ResourceKey key) {
  const Truth& what = truth(key);
  Type& state = types_[At(key.type)];
  switch (what.kind) {
    case Truth::kAbsent:
      return;
    case Truth::kValid:
      AddResource(response, NameAt(key.name),
                  chance_.OneIn(6) ? OtherSpellingAt(what.content) : ContentAt(what.content));
      break;
    case Truth::kInvalid:
      AddResource(response, NameAt(key.name), kInvalidContent);
      break;
    case Truth::kError:
      if (state.error_told[At(key.name)] && !repeats_errors_) return;
      state.error_told.set(At(key.name));
      response.resource_errors.push_back({.name = NameAt(key.name),
                                          .code = what.code,
                                          .message = kErrorMessages[At(what.message)]});
      break;
  }
  state.in_last_answer.set(At(key.name));
}

DiscoveryResponse ServerModel::Answer() {
  int type = chance_.Below(kTypes);
  while (!HasNews(type)) type = (type + 1) % kTypes;
  DiscoveryResponse response = Begin(type);
  Type& state = types_[At(type)];
  // Of the other types what changed, and now and then all of it: absence means nothing (R1.42).
  const bool all = IsFullState(type) || chance_.OneIn(4);
  for (int name = 0; name < kNames; ++name) {
    if (all ? state.subscribed[At(name)] : state.owed[At(name)]) AddTruth(response, {type, name});
  }
  state.owed.reset();
  return response;
}

DiscoveryResponse ServerModel::EverythingOf(int type) {
  DiscoveryResponse response = Begin(type);
  for (int name = 0; name < kNames; ++name) {
    if (types_[At(type)].subscribed[At(name)]) AddTruth(response, {type, name});
  }
  return response;
}

DiscoveryResponse ServerModel::OfUnknownType() {
  DiscoveryResponse response;
  response.type_url = kUnknownTypeUrl;
  response.version_info = NumberText(++last_number_);
  response.nonce = NumberText(++last_number_);
  AddResource(response, NameAt(0), ContentAt(0));
  return response;
}

DiscoveryResponse ServerModel::Misbehave() {
  if (chance_.OneIn(10)) return OfUnknownType();
  const int type = chance_.Below(kTypes);
  DiscoveryResponse response = EverythingOf(type);
  types_[At(type)].is_tainted = true;
  types_[At(type)].is_last_honest = false;
  if (chance_.OneIn(2)) {
    types_[At(type)].version = ++last_number_;
    response.version_info = NumberText(types_[At(type)].version);
  }
  const absl::string_view name = NameAt(chance_.Below(kNames));
  const absl::string_view content = ContentAt(chance_.Below(kContents));
  switch (chance_.Below(11)) {
    case 0:  // one name twice
      AddResource(response, name, content);
      AddResource(response, name, chance_.OneIn(2) ? content : kInvalidContent);
      break;
    case 1:  // what nobody asked for
      AddResource(response, kUnwatchedName, chance_.OneIn(2) ? content : kInvalidContent);
      break;
    case 2:  // in both lists
      AddResource(response, name, content);
      response.resource_errors.push_back({.name = name, .code = 5, .message = "and yet"});
      break;
    case 3:
      response.resource_errors.push_back({.problem = "names no resource"});
      break;
    case 4:
      response.resource_errors.push_back({.name = name, .problem = "has no error_detail"});
      break;
    case 5:  // of another type than it says, or without a body
      AddResource(response, name, content);
      if (chance_.OneIn(2)) {
        response.resources.back().problem = "is of another type";
      } else {
        response.resources.back().body = {};
        response.resources.back().has_body = false;
      }
      break;
    case 6:
      AddResource(response, "", content);
      response.resources.back().problem = "has no name";
      break;
    case 7:  // not what is true
      response.resources.clear();
      AddResource(response, name, content);
      break;
    case 8:  // an error that is none
      response.resource_errors.clear();
      response.resource_errors.push_back(
          {.name = name,
           .code = kErrorCodes[At(chance_.Below(kErrorCodes.size()))],
           .message = "by mistake"});
      break;
    case 9:
      response.resources.clear();
      response.resource_errors.clear();
      break;
    case 10:
      response.resources.clear();
      response.resource_errors.clear();
      response.problem = "has a version that is not valid UTF-8";
      break;
  }
  return response;
}

void ServerModel::Repent() {
  for (Type& type : types_) {
    if (!type.is_tainted) continue;
    type.is_tainted = false;
    type.version = ++last_number_;
    type.held.reset();
    type.error_told.reset();
    type.owed = type.subscribed;
  }
}

}  // namespace holdfast
