// Talking to a session, for its tests: a story is told event by event, and each event is answered
// by a list of lines, one for each order the session gives.
//
//   Talk talk(Variant::kSotw);
//   talk.Commit({"CDS/paris=v1"});
//   EXPECT_EQ(talk.Ask("CDS", {"paris", "rome"}), Said({"CDS #1 [paris=v1] !rome:5"}));
//   EXPECT_EQ(talk.Ack("CDS"), Said({}));
//
// Resources are places, and their contents a word. A cluster has endpoints of its own name for a
// child, and a listener such routes. Every write is done at once, unless the story says otherwise.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "control/session/session.h"
#include "xds/type_names.h"

namespace holdfast {

// What a session says: responses, alarms, ends and log lines; who follows what, and counts, are in
// Talk::all().
using Said = std::vector<std::string>;

inline std::string LongType(absl::string_view name) {
  if (name == "CDS") return std::string(kClusterTypeName);
  if (name == "EDS") return std::string(kEndpointsTypeName);
  if (name == "LDS") return std::string(kListenerTypeName);
  if (name == "RDS") return std::string(kRouteConfigTypeName);
  if (name == "SDS") return "envoy.extensions.transport_sockets.tls.v3.Secret";
  return std::string(name);
}

inline std::string ShortType(absl::string_view type) {
  for (const char* const name : {"CDS", "EDS", "LDS", "RDS", "SDS"}) {
    if (LongType(name) == type) return name;
  }
  return std::string(type);
}

// "CDS/paris" is a resource of clusters.
inline ResourceKey KeyOfText(absl::string_view text) {
  const size_t slash = text.find('/');
  return {LongType(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

inline ResourcePtr MakeResource(absl::string_view key_text, absl::string_view body,
                                std::optional<absl::Duration> ttl = std::nullopt) {
  const ResourceKey key = KeyOfText(key_text);
  std::vector<ResourceKey> children;
  if (key.type == kClusterTypeName) children.push_back({LongType("EDS"), key.name});
  if (key.type == kListenerTypeName) children.push_back({LongType("RDS"), key.name});
  return std::make_shared<const Resource>(key.type, key.name, body, ttl, std::move(children));
}

struct DeltaAsk {
  std::vector<std::string> sub;
  std::vector<std::string> unsub;
  std::map<std::string, std::string> initial = {};
  std::string nonce = {};
  std::string why = {};  // not empty: a NACK
};

class Talk {
 public:
  explicit Talk(Variant variant, SessionOptions options = {}, bool is_synced = true)
      : Talk(variant, options, std::make_shared<View>(View{.id = 1, .is_synced = is_synced})) {}
  // With a view that is there already, which is not to be changed.
  Talk(Variant variant, SessionOptions options, ViewPtr view)
      : view_(std::move(view)), session_(variant, options, view_, "10.0.0.7:4242") {
    contents_.is_synced = view_->is_synced;
  }

  // A SotW request: the whole list. The first one says who is asking.
  Said Ask(absl::string_view type, std::vector<std::string> names, std::string nonce = "-",
           std::string why = "", std::string version = "") {
    names_[std::string(type)] = names;
    DiscoveryRequest request;
    request.node = TakeNode();
    request.type_url = absl::StrCat(kTypeUrlPrefix, LongType(type));
    request.resource_names = std::move(names);
    request.version_info = std::move(version);
    // "-" is what clients do: repeat the newest.
    request.response_nonce = nonce == "-" ? nonces_[std::string(type)] : std::move(nonce);
    if (!why.empty()) request.error_detail = WireStatus{3, std::move(why)};
    return Tell(RequestReceived{std::move(request)});
  }
  Said Ack(const std::string& type) { return Ask(type, names_[type]); }
  Said Nack(const std::string& type, std::string why = "no good") {
    return Ask(type, names_[type], "-", std::move(why));
  }

  Said Delta(absl::string_view type, DeltaAsk ask) {
    DeltaDiscoveryRequest request;
    request.node = TakeNode();
    request.type_url = absl::StrCat(kTypeUrlPrefix, LongType(type));
    request.subscribe = std::move(ask.sub);
    request.unsubscribe = std::move(ask.unsub);
    request.initial_resource_versions = std::move(ask.initial);
    request.response_nonce = std::move(ask.nonce);
    if (!ask.why.empty()) request.error_detail = WireStatus{13, std::move(ask.why)};
    return Tell(DeltaRequestReceived{std::move(request)});
  }

  // "CDS/paris=v1" is there, "-CDS/paris" is gone, "CDS/paris!13" has this error, "CDS/paris!"
  // none. The source is synced by it.
  Said Commit(const std::vector<std::string>& changes) {
    contents_.is_synced = true;
    return Publish(changes);
  }
  // The same, of a source that has not been read to its end.
  Said Publish(const std::vector<std::string>& changes) {
    for (absl::string_view change : changes) {
      if (absl::StartsWith(change, "-")) {
        std::erase_if(contents_.resources, [&](const ResourcePtr& one) {
          return one->key() == KeyOfText(change.substr(1));
        });
      } else if (const size_t mark = change.find('!'); mark != absl::string_view::npos) {
        const ResourceKey key = KeyOfText(change.substr(0, mark));
        int code = 0;
        contents_.errors.erase(key);
        if (absl::SimpleAtoi(change.substr(mark + 1), &code)) {
          contents_.errors[key] = MakeNameError(code, "as configured");
        }
      } else {
        const size_t equals = change.rfind('=');
        Put(MakeResource(change.substr(0, equals), change.substr(equals + 1)));
      }
    }
    return Publish();
  }
  // A part of the source could never be read; "": all of it was.
  Said NeverRead(std::string what) {
    contents_.never_read = std::move(what);
    return Publish();
  }
  void Put(ResourcePtr resource) {
    std::erase_if(contents_.resources,
                  [&](const ResourcePtr& one) { return one->key() == resource->key(); });
    contents_.resources.push_back(std::move(resource));
  }
  Said Publish() {
    const ViewPtr before = std::exchange(view_, NextView(*view_, contents_));
    const auto changes = std::make_shared<const Changes>(ChangesBetween(*before, *view_));
    if (changes->empty() && before->is_synced == view_->is_synced &&
        before->never_read == view_->never_read) {
      session_.Renew(view_);
      return {};
    }
    return Tell(ViewChanged{view_, changes});
  }

  // Time passes; the session is woken when it asked to be.
  Said After(absl::Duration time) {
    const absl::Time end = now_ + time;
    Said said;
    while (alarm_ <= end) {
      now_ = std::max(now_, std::exchange(alarm_, absl::InfiniteFuture()));
      Append(Tell(TimeReached{}), said);
    }
    now_ = end;
    return said;
  }

  // From now on writes are not done before Resume.
  void Stall() { is_stalled_ = true; }
  Said Resume() {
    is_stalled_ = false;
    is_writing_ = false;
    return Tell(WriteDone{});
  }
  Said Leave() { return Tell(ClientLeft{}); }

  Said Tell(const SessionEvent& event) {
    all_.clear();
    Said said;
    Do(session_.Handle(now_, event), said);
    while (is_writing_ && !is_stalled_) {
      is_writing_ = false;
      Do(session_.Handle(now_, WriteDone{}), said);
    }
    return said;
  }

  // Everything the last event led to, counts and all.
  const Said& all() const { return all_; }
  // How often a line was in it.
  int64_t Count(absl::string_view line) const { return std::count(all_.begin(), all_.end(), line); }
  const std::vector<SendResponse>& responses() const { return responses_; }
  const std::string& nonce(const std::string& type) { return nonces_[type]; }
  const View& view() const { return *view_; }
  const ViewPtr& shared_view() const { return view_; }
  const Session& session() const { return session_; }
  absl::Time now() const { return now_; }
  // Of all acknowledgements so far.
  const std::vector<std::optional<absl::Duration>>& since_commit() const { return since_commit_; }
  std::string VersionOf(absl::string_view key_text) const {
    const ResourceKey key = KeyOfText(key_text);
    return (*view_->Of(key.type)->Find(key.name))->version();
  }
  void SetFeatures(std::vector<std::string> features) {
    node_->client_features = std::move(features);
  }

 private:
  std::optional<Node> TakeNode() { return std::exchange(node_, std::nullopt); }
  static void Append(Said more, Said& said) {
    for (std::string& line : more) said.push_back(std::move(line));
  }

  void Do(const SessionEffects& effects, Said& said) {
    for (const SessionEffect& effect : effects) {
      const std::string line = std::visit([this](const auto& one) { return Line(one); }, effect);
      all_.push_back(line);
      if (!absl::StartsWith(line, "count ") && !absl::StartsWith(line, "errors ") &&
          !absl::StartsWith(line, "follow ") && !absl::StartsWith(line, "unfollow ")) {
        said.push_back(line);
      }
    }
  }

  std::string Line(const SendResponse& response) {
    EXPECT_FALSE(is_writing_) << "two writes at once";
    is_writing_ = true;
    responses_.push_back(response);
    const std::string type = ShortType(response.type);
    nonces_[type] = response.nonce;
    const std::vector<ResourcePtr> resources = ResourcesIn(response);
    std::string line = absl::StrCat(type, " #", response.nonce, " [",
                                    absl::StrJoin(resources, " ",
                                                  [](std::string* out, const ResourcePtr& one) {
                                                    absl::StrAppend(out, one->name(), "=",
                                                                    one->body().substr(0, 20));
                                                  }),
                                    "]");
    for (const std::string& name : response.removed) absl::StrAppend(&line, " -", name);
    for (const auto& [name, error] : response.errors) {
      absl::StrAppend(&line, " !", name, ":", error.code);
    }
    return line;
  }
  std::string Line(const EndStream& end) { return absl::StrCat("end ", end.status.ToString()); }
  std::string Line(const WakeAt& wake) {
    alarm_ = wake.time;
    return absl::StrCat("wake ", absl::FormatDuration(wake.time - start_));
  }
  std::string Line(const Follow& follow) {
    return absl::StrCat("follow ", ShortType(follow.type), " ", follow.name);
  }
  std::string Line(const Unfollow& unfollow) {
    return absl::StrCat("unfollow ", ShortType(unfollow.type), " ", unfollow.name);
  }
  std::string Line(const CountSession& count) {
    constexpr const char* kWhat[] = {"request", "push", "ack", "nack", "error"};
    if (count.what == CountSession::What::kAck) since_commit_.push_back(count.since_commit);
    std::string line =
        absl::StrCat("count ", kWhat[static_cast<int>(count.what)], " ", ShortType(count.type));
    if (count.code != 0) absl::StrAppend(&line, " ", count.code, " x", count.by);
    return line;
  }
  std::string Line(const ErrorsOutstanding& errors) {
    return absl::StrCat("errors ", ShortType(errors.type), " ", errors.by);
  }
  std::string Line(const LogLine& log) { return log.text; }

  const absl::Time start_ = absl::FromUnixSeconds(1'700'000'000);
  absl::Time now_ = start_;
  absl::Time alarm_ = absl::InfiniteFuture();
  Contents contents_;
  ViewPtr view_;
  Session session_;
  std::optional<Node> node_ = Node{.id = "web-1"};
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::string, std::string> nonces_;
  std::vector<SendResponse> responses_;
  std::vector<std::optional<absl::Duration>> since_commit_;
  bool is_writing_ = false;
  bool is_stalled_ = false;
  Said all_;
};

}  // namespace holdfast
