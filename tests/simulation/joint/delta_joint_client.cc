#include "tests/simulation/joint/delta_joint_client.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/simulation/joint/joint_world.h"
#include "wire/envelope.h"
#include "xds/type_names.h"

namespace holdfast {

void DeltaJointClient::ChangeInterest(absl::Time) {
  const int number = chance_.Below(kJointTypes);
  Type& type = types_[number];
  const bool may_be_wildcard = IsFullStateType(JointType(number).type_name());
  if (may_be_wildcard && chance_.OneIn(4)) {
    type.is_wildcard = !type.is_wildcard;
    Ask(number, type.is_wildcard ? std::vector<std::string>{"*"} : std::vector<std::string>{},
        type.is_wildcard ? std::vector<std::string>{} : std::vector<std::string>{"*"});
  } else if (chance_.OneIn(4)) {
    type.has_glob = !type.has_glob;
    const std::vector<std::string> glob = {JointGlob(JointType(number).type_name())};
    type.has_glob ? Ask(number, glob, {}) : Ask(number, {}, glob);
  } else {
    const std::string name = JointName(number, chance_.Below(kJointAllNames));
    if (type.names.erase(name) > 0) {
      Ask(number, {}, {name});
    } else {
      type.names.insert(name);
      Ask(number, {name}, {});
    }
  }
  std::erase_if(type.known, [&](const auto& one) { return !Wants(type, one.first); });
}

void DeltaJointClient::Ask(int type, std::vector<std::string> subscribe,
                           std::vector<std::string> unsubscribe) {
  if (stream_ == 0) return;
  DeltaDiscoveryRequest request;
  request.type_url = absl::StrCat(kTypeUrlPrefix, JointType(type).type_name());
  request.subscribe = std::move(subscribe);
  request.unsubscribe = std::move(unsubscribe);
  to_server_.push_back(std::move(request));
}

void DeltaJointClient::Connect() {
  stream_ = server_.Open(Variant::kDelta);
  for (auto& [number, type] : types_) {
    DeltaDiscoveryRequest request;
    request.type_url = absl::StrCat(kTypeUrlPrefix, JointType(number).type_name());
    request.subscribe.assign(type.names.begin(), type.names.end());
    if (type.is_wildcard) request.subscribe.emplace_back("*");
    if (type.has_glob) request.subscribe.push_back(JointGlob(JointType(number).type_name()));
    if (request.subscribe.empty()) continue;
    for (auto& [name, known] : type.known) {
      if (!known.version.empty()) request.initial_resource_versions[name] = known.version;
      // A server that finds it current need not repeat it (R1.65), so what came in between is over.
      known.is_absent = false;
      known.error = 0;
      known.rejected.clear();
    }
    to_server_.push_back(std::move(request));
  }
}

void DeltaJointClient::LoseStream(absl::Time) {
  server_.Close(stream_);
  stream_ = 0;
  to_server_.clear();
}

bool DeltaJointClient::Pass(absl::Time now) {
  if (stream_ != 0 && !server_.IsOpen(stream_)) LoseStream(now);
  if (stream_ == 0) {
    if (!server_.is_up()) return false;
    Connect();
    return true;
  }
  for (int first = chance_.Below(3), i = 0; i < 3; ++i) {
    switch ((first + i) % 3) {
      case 0:
        if (to_server_.empty()) break;
        server_.Tell(now, stream_, DeltaRequestReceived{to_server_.front()});
        to_server_.pop_front();
        return true;
      case 1:
        if (!server_.IsWriting(stream_)) break;
        server_.FinishWrite(now, stream_);
        return true;
      case 2:
        if (!server_.HasMessage(stream_)) break;
        Receive(server_.TakeMessage(stream_));
        return true;
    }
  }
  return false;
}

void DeltaJointClient::Receive(const std::string& message) {
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(message);
  if (!response.ok()) {
    findings_.Add(absl::StrCat("a delta response that cannot be read: ", message));
    return;
  }
  int number = 0;
  while (number < kJointTypes &&
         JointType(number).type_name() != WithoutTypeUrlPrefix(response->type_url)) {
    ++number;
  }
  Type& type = types_[number];
  DeltaDiscoveryRequest answer;
  answer.type_url = std::string(response->type_url);
  answer.response_nonce = std::string(response->nonce);
  for (const ResourceEntry& entry : response->resources) {
    if (!Wants(type, std::string(entry.name))) continue;
    Known& known = type.known[std::string(entry.name)];
    known.is_absent = false;
    known.error = 0;
    known.rejected.clear();
    if (JointType(number).Decode(entry.body, DecodeContext()).value != nullptr) {
      known.version = std::string(entry.version);
    } else {
      known.rejected = std::string(entry.version);
      answer.error_detail = WireStatus{3, "a bad number"};
    }
  }
  for (const absl::string_view name : response->removed_resources) {
    if (!Wants(type, std::string(name))) continue;
    if (name == JointGlob(JointType(number).type_name())) continue;
    // Why it is not there may have been said before.
    Known& known = type.known[std::string(name)];
    known = {.is_absent = true, .error = known.error};
  }
  for (const ResourceError& error : response->resource_errors) {
    if (!HearsErrors(type, std::string(error.name))) continue;
    Known& known = type.known[std::string(error.name)];
    known.error = error.code;
    // CP-2: what is there has no error, and what is not is not in use.
    const bool is_absence = error.code == 5 || error.code == 7;
    if (is_absence && !known.version.empty()) {
      findings_.Add(absl::StrCat("told that there is no ", error.name, ", and left to use it"));
    }
  }
  to_server_.push_back(std::move(answer));
}

std::optional<absl::Time> DeltaJointClient::NextWake() const { return server_.WakesAt(stream_); }

void DeltaJointClient::Wake(absl::Time now) {
  const std::optional<absl::Time> when = server_.WakesAt(stream_);
  if (when.has_value() && *when <= now) server_.Tell(now, stream_, TimeReached{});
}

std::string DeltaJointClient::Ignorance() const {
  for (const auto& [number, type] : types_) {
    const TypeViewPtr& served = server_.view().Of(JointType(number).type_name());
    for (int i = 0; i < kJointAllNames; ++i) {
      const std::string name = JointName(number, i);
      if (!Wants(type, name)) continue;
      const auto found = type.known.find(name);
      const Known known = found == type.known.end() ? Known() : found->second;
      const ResourcePtr* const resource = served->Find(name);
      const NameError* const said = served->FindError(name);
      bool knows = false;
      if (resource != nullptr) {
        knows =
            (known.rejected.empty() ? known.version : known.rejected) == (*resource)->version() &&
            !known.is_absent && known.error == 0;
      } else if (!type.names.contains(name)) {
        const bool is_told =
            said != nullptr && HearsErrors(type, name) && server_.options().tp3 != Tp3Mode::kOff;
        knows = known.version.empty() && (!is_told || known.error == said->code);
      } else {
        const int code = said == nullptr ? 5 : said->code;
        const bool hears_errors = server_.options().tp3 != Tp3Mode::kOff;
        const bool is_absence = code == 5 || code == 7;
        knows = (!hears_errors || known.error == code) && (!is_absence || known.is_absent);
      }
      if (!knows) {
        return absl::StrCat("delta client of ", JointType(number).type_name(), " ", name, " has ",
                            known.version, " rejected ", known.rejected, " absent ",
                            known.is_absent, " error ", known.error, "; served is ",
                            resource == nullptr ? "nothing" : (*resource)->version());
      }
    }
  }
  return "";
}

}  // namespace holdfast
