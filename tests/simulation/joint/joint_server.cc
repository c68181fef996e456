#include "tests/simulation/joint/joint_server.h"

#include <set>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/simulation/joint/joint_world.h"
#include "wire/envelope.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Half of the names are in the part of the source that may break.
bool IsInPartThatBreaks(const ResourceKey& key) { return key.name.back() % 2 == 0; }

bool IsGlob(const std::string& name) { return name.back() == '*'; }

}  // namespace

JointServer::JointServer(Chance& chance, SessionOptions options, Findings& findings)
    : chance_(chance), options_(options), findings_(findings) {
  contents_.is_synced = true;
  saved_ = contents_;
  view_ = NextView(*view_, contents_);
}

void JointServer::ChangeSomething(absl::Time now) {
  std::set<ResourceKey> touched;
  // A commit may change several things at once.
  for (int changes = 1 + chance_.Below(3); changes > 0; --changes) {
    const int type = chance_.Below(kJointTypes);
    const int name = chance_.Below(kJointAllNames);
    const ResourceKey key{std::string(JointType(type).type_name()), JointName(type, name)};
    const auto is_it = [&key](const ResourcePtr& one) { return one->key() == key; };
    touched.insert(key);
    const int dice = chance_.Below(10);
    if (dice < 2) {
      std::erase_if(contents_.resources, is_it);
    } else if (dice < 8) {
      std::erase_if(contents_.resources, is_it);
      // Now and then what it was before: clients may have rejected something in between.
      const int content = chance_.OneIn(4) ? 1 + chance_.Below(3) : ++last_content_ + 3;
      contents_.resources.push_back(
          MakeJointResource(type, name, chance_.OneIn(5) ? kBadContent : content));
    } else if (dice < 9) {
      const int code = 1 + chance_.Below(16);
      contents_.errors.insert_or_assign(key, MakeNameError(code, absl::StrCat("said ", code)));
    } else {
      contents_.errors.erase(key);
    }
  }
  if (chance_.OneIn(15)) {
    contents_.never_read.empty() ? void(contents_.never_read = "\"c.yaml\"") : Mend();
  }
  if (chance_.OneIn(10)) saved_ = contents_;
  // Sources speak of what was touched, or of all there is: both come to the same.
  Contents said = contents_;
  const bool is_as_read = contents_.never_read == view_->never_read;
  if (view_->is_synced && is_as_read && chance_.OneIn(2)) {
    const auto is_other = [&touched](const ResourceKey& key) { return !touched.contains(key); };
    std::erase_if(said.resources, [&](const ResourcePtr& one) { return is_other(one->key()); });
    std::erase_if(said.errors, [&](const auto& one) { return is_other(one.first); });
    said.only = std::move(touched);
  }
  Publish(now, std::move(said));
}

void JointServer::Break() {
  contents_.never_read = "\"b.yaml\"";
  std::erase_if(contents_.resources, [this](const ResourcePtr& one) {
    if (IsInPartThatBreaks(one->key())) hidden_.resources.push_back(one);
    return IsInPartThatBreaks(one->key());
  });
  std::erase_if(contents_.errors, [this](const auto& one) {
    if (IsInPartThatBreaks(one.first)) hidden_.errors.insert(one);
    return IsInPartThatBreaks(one.first);
  });
}

void JointServer::Mend() {
  contents_.never_read.clear();
  for (const ResourcePtr& one : hidden_.resources) {
    std::erase_if(contents_.resources,
                  [&](const ResourcePtr& other) { return other->key() == one->key(); });
    contents_.resources.push_back(one);
  }
  contents_.errors.insert(hidden_.errors.begin(), hidden_.errors.end());
  hidden_ = {};
}

void JointServer::ReadAll(absl::Time now) {
  if (contents_.never_read.empty()) return;
  Mend();
  Publish(now, contents_);
}

void JointServer::Publish(absl::Time now, Contents said) {
  const ViewPtr before = std::exchange(view_, NextView(*view_, std::move(said)));
  const auto changes = std::make_shared<const Changes>(ChangesBetween(*before, *view_));
  const bool absence_is_another =
      view_->is_synced != before->is_synced || view_->never_read != before->never_read;
  for (const auto& [type, names] : *changes) {
    for (const std::string& name : names) {
      if (view_->Of(type)->Find(name) != nullptr) {
        gone_.erase({type, name});
      } else if (before->Of(type)->Find(name) != nullptr) {
        gone_.insert({type, name});
      }
    }
  }
  if (view_->never_read.empty()) gone_.clear();
  std::set<uint64_t> told;
  for (const SessionId id : index_.FollowersOf(*changes)) told.insert(id.value());
  if (absence_is_another) {
    for (const auto& [id, stream] : streams_) told.insert(id);
  }
  for (const uint64_t id : told) {
    streams_.at(id).view_id = view_->id;
    Tell(now, id, ViewChanged{view_, changes});
  }
}

void JointServer::Restart() {
  while (!streams_.empty()) Close(streams_.begin()->first);
  is_up_ = false;
  auto unsynced = std::make_shared<View>();
  gone_.clear();
  if (chance_.OneIn(4)) {
    contents_ = saved_;
    hidden_ = {};
  }
  if (!chance_.OneIn(3)) {
    Contents kept = chance_.OneIn(2) ? contents_ : saved_;
    kept.is_synced = false;
    kept.never_read.clear();
    view_ = NextView(*unsynced, std::move(kept));
  } else {
    view_ = std::move(unsynced);
    if (contents_.never_read.empty() && chance_.OneIn(2)) Break();
  }
}

void JointServer::BecomeSynced(absl::Time now) {
  if (view_->is_synced) {
    is_up_ = true;
    return;
  }
  // Clients may come before the source is synced, or after.
  if (!is_up_ && chance_.OneIn(2)) {
    is_up_ = true;
    return;
  }
  is_up_ = true;
  Publish(now, contents_);
}

uint64_t JointServer::Open(Variant variant) {
  Stream stream{.variant = variant};
  stream.session = std::make_unique<Session>(variant, options_, view_, "loopback");
  stream.view_id = view_->id;
  streams_.emplace(++last_stream_, std::move(stream));
  return last_stream_;
}

void JointServer::Close(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Do(id, found->second, found->second.session->Handle(absl::UnixEpoch(), ClientLeft{}));
  if (!found->second.follows.empty()) findings_.Add("a session left, and still follows something");
  streams_.erase(found);
}

void JointServer::Tell(absl::Time now, uint64_t id, const SessionEvent& event) {
  Stream& stream = streams_.at(id);
  if (stream.view_id != view_->id) {
    stream.view_id = view_->id;
    stream.session->Renew(view_);
  }
  if (std::holds_alternative<TimeReached>(event)) stream.wakes_at.reset();
  NoteBrought(stream, event);
  Do(id, stream, stream.session->Handle(now, event));
}

void JointServer::NoteBrought(Stream& stream, const SessionEvent& event) {
  if (const auto* sotw = std::get_if<RequestReceived>(&event)) {
    const std::string type(WithoutTypeUrlPrefix(sotw->request.type_url));
    const bool is_first = stream.types.insert(type).second;
    if (is_first && !sotw->request.version_info.empty()) stream.returns_with.insert(type);
  } else if (const auto* delta = std::get_if<DeltaRequestReceived>(&event)) {
    const std::string type(WithoutTypeUrlPrefix(delta->request.type_url));
    if (!stream.types.insert(type).second) return;
    for (const auto& [name, version] : delta->request.initial_resource_versions) {
      const ResourcePtr* const found = view_->Of(type)->Find(name);
      if (found == nullptr || (*found)->version() != version) stream.brought.insert({type, name});
    }
  }
}

void JointServer::Do(uint64_t id, Stream& stream, const SessionEffects& effects) {
  for (const SessionEffect& effect : effects) {
    if (const auto* response = std::get_if<SendResponse>(&effect)) {
      if (std::exchange(stream.is_writing, true)) findings_.Add("two responses at once");
      Check(stream, *response);
      ResponseEncoder& encoder = stream.variant == Variant::kSotw ? sotw_encoder_ : delta_encoder_;
      const EncodedResponse encoded = encoder.Encode(*response);
      stream.messages.push_back(
          absl::StrCat(encoded.head, encoded.body == nullptr ? "" : *encoded.body));
    } else if (const auto* wake = std::get_if<WakeAt>(&effect)) {
      stream.wakes_at = wake->time;
    } else if (const auto* follow = std::get_if<Follow>(&effect)) {
      index_.Follow(SessionId(id), follow->type, follow->name);
      stream.follows.emplace(follow->type, follow->name);
    } else if (const auto* unfollow = std::get_if<Unfollow>(&effect)) {
      index_.Unfollow(SessionId(id), unfollow->type, unfollow->name);
      stream.follows.erase({unfollow->type, unfollow->name});
    } else if (const auto* end = std::get_if<EndStream>(&effect)) {
      findings_.Add(absl::StrCat("a stream was ended: ", end->status.ToString()));
    }
  }
}

void JointServer::CheckErrors(const SendResponse& response) {
  constexpr int kNotFound = static_cast<int>(absl::StatusCode::kNotFound);
  constexpr int kUnavailable = static_cast<int>(absl::StatusCode::kUnavailable);
  for (const auto& [name, error] : response.errors) {
    if (view_->Of(response.type)->FindError(name) != nullptr || IsGlob(name)) continue;
    const bool is_known =
        view_->is_synced && (view_->never_read.empty() || gone_.contains({response.type, name}));
    if (error.code != (is_known ? kNotFound : kUnavailable)) {
      findings_.Add(absl::StrCat(name, " is said to be ", error.code, " while it is ",
                                 is_known ? "known to be gone" : "unknown"));
    }
  }
}

// Of what a client has from an earlier stream, while nobody knows whether it is there.
void JointServer::CheckNothingIsTaken(Stream& stream, const SendResponse& response) {
  const auto is_unknown = [&](const std::string& name) {
    return view_->Of(response.type)->Find(name) == nullptr &&
           view_->Of(response.type)->FindError(name) == nullptr && !view_->never_read.empty() &&
           !gone_.contains({response.type, name});
  };
  for (const std::string& name : response.removed) {
    if (stream.brought.contains({response.type, name}) && is_unknown(name)) {
      findings_.Add(absl::StrCat(name, " is taken from a client, and nobody knows about it"));
    }
    stream.brought.erase({response.type, name});
  }
  const std::vector<ResourcePtr> resources = ResourcesIn(response);
  for (const ResourcePtr& one : resources) stream.brought.erase(one->key());
  if (stream.returns_with.erase(response.type) == 0 || !IsFullStateType(response.type)) return;
  if (!resources.empty() || view_->never_read.empty()) return;
  bool is_all_unknown = true;
  for (const auto& [type, name] : stream.follows) {
    is_all_unknown &= type != response.type || name == "*" || is_unknown(name);
  }
  if (is_all_unknown) findings_.Add("nothing is said to a client that returns, of what is unknown");
}

void JointServer::Check(Stream& stream, const SendResponse& response) {
  CheckErrors(response);
  CheckNothingIsTaken(stream, response);
  const std::vector<ResourcePtr> resources = ResourcesIn(response);
  std::set<std::string> names;
  for (const ResourcePtr& resource : resources) {
    if (!names.insert(resource->name()).second) findings_.Add("a resource twice in a response");
  }
  for (const auto& [name, error] : response.errors) {
    if (!names.insert(name).second) findings_.Add("a name both with a resource and an error");
    const bool is_of_glob =
        IsJointMember(name) && stream.follows.contains({response.type, JointGlob(response.type)});
    if ((!stream.follows.contains({response.type, name}) && !is_of_glob) || name == "*") {
      findings_.Add(absl::StrCat("an error for ", name, ", which nobody asked for by name"));
    }
    if (error.code == 0 || options_.tp3 == Tp3Mode::kOff) findings_.Add("an error that is none");
  }
  for (const std::string& name : response.removed) {
    for (const ResourcePtr& resource : resources) {
      if (resource->name() == name) findings_.Add("sent and removed in one response");
    }
  }
  const bool is_full_state = stream.variant == Variant::kSotw && IsFullStateType(response.type);
  if (is_full_state && resources.empty() && response.errors.empty() && !view_->is_synced) {
    findings_.Add("an empty full state before the source is synced");
  }
}

bool JointServer::IsWriting(uint64_t id) const {
  const auto found = streams_.find(id);
  return found != streams_.end() && found->second.is_writing;
}

void JointServer::FinishWrite(absl::Time now, uint64_t id) {
  streams_.at(id).is_writing = false;
  Tell(now, id, WriteDone{});
}

std::optional<absl::Time> JointServer::WakesAt(uint64_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? std::nullopt : found->second.wakes_at;
}

bool JointServer::HasMessage(uint64_t id) const {
  const auto found = streams_.find(id);
  return found != streams_.end() && !found->second.messages.empty();
}

std::string JointServer::TakeMessage(uint64_t id) {
  std::deque<std::string>& messages = streams_.at(id).messages;
  std::string message = std::move(messages.front());
  messages.pop_front();
  return message;
}

}  // namespace holdfast
