// Talking to the client protocol, for its tests: a story is told event by event, and each event is
// answered by a list of lines, one for each order the protocol gives, all of them, in their order.
//
//   Conversation talk;
//   EXPECT_EQ(talk.Watch("alice", kCluster, "paris"),
//             Lines({"open stream 1", "read stream 1", WithNode(Ask(kCluster, {"paris"}))}));
//   EXPECT_EQ(talk.Sent(), Lines({"start timer 1: 15s"}));
//   EXPECT_EQ(talk.Receive(Answer(kCluster, "1").Has("paris", "v1")),
//             Lines({"cancel timer 1", Gets("alice", "v1", "1"), Valid(kCluster, 1),
//                    Ack(kCluster, {"paris"}, "1")}));
//
// Watchers are people, resources are places, and contents are a word: "v1" is valid, "bad" is not.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/error_detail.h"
#include "client/protocol/protocol.h"

namespace holdfast {

// "v1" decodes to "v1", and so does "v1  ": other bytes, equal contents. "v1!color" asks for what
// is not enforced, in the field "color". What does not begin with "v" is invalid.
class WordType final : public AnyResourceType {
 public:
  WordType(std::string type_name, std::string noun, bool is_full_state)
      : type_name_(std::move(type_name)), noun_(std::move(noun)), is_full_state_(is_full_state) {}

  absl::string_view type_name() const override { return type_name_; }
  absl::string_view noun() const override { return noun_; }
  bool is_full_state() const override { return is_full_state_; }

  DecodedResource Decode(absl::string_view bytes, const DecodeContext&) const override {
    DecodedResource decoded;
    if (!absl::StartsWith(bytes, "v")) {
      ValidationErrors::Field field(decoded.errors, ".word");
      decoded.errors.Add(absl::StrCat("must begin with v (got ", bytes, ")"));
      return decoded;
    }
    const absl::string_view word = bytes.substr(0, bytes.find_first_of(" !"));
    decoded.value = std::make_shared<const ResourceOf<std::string>>(std::string(word));
    if (absl::StrContains(bytes, '!')) {
      decoded.not_enforced.push_back(std::string(bytes.substr(bytes.find('!') + 1)));
    }
    return decoded;
  }

 private:
  const std::string type_name_;
  const std::string noun_;
  const bool is_full_state_;
};

inline const WordType kListener("test.Listener", "listener", /*is_full_state=*/true);
inline const WordType kCluster("test.Cluster", "cluster", /*is_full_state=*/true);
inline const WordType kRoutes("test.Routes", "routes", /*is_full_state=*/false);
inline const WordType kEndpoints("test.Endpoints", "endpoints", /*is_full_state=*/false);

inline constexpr char kServerUri[] = "cp:18000";
inline constexpr char kNodeId[] = "web-1";

// A response. It owns its texts, and its nonce is "n" and the version unless it is given one.
class Answer {
 public:
  Answer(const AnyResourceType& type, absl::string_view version, absl::string_view nonce = "")
      : Answer(type.type_name(), version, nonce) {}
  Answer(absl::string_view type_name, absl::string_view version, absl::string_view nonce = "") {
    response_.type_url = Keep(absl::StrCat(kTypeUrlPrefix, type_name));
    response_.version_info = Keep(version);
    response_.nonce = Keep(nonce.empty() ? absl::StrCat("n", version) : std::string(nonce));
  }
  Answer(const Answer&) = delete;  // It holds views into itself.
  Answer& operator=(const Answer&) = delete;

  Answer& Has(absl::string_view name, absl::string_view body) {
    ResourceEntry& entry = response_.resources.emplace_back();
    entry.name = Keep(name);
    entry.body = Keep(body);
    entry.has_body = true;
    return *this;
  }
  // An entry that cannot be used whatever it says; an empty name is one that cannot be told.
  Answer& HasBroken(absl::string_view name, absl::string_view problem) {
    Has(name, "");
    response_.resources.back().problem = std::string(problem);
    return *this;
  }
  Answer& Error(absl::string_view name, int32_t code, absl::string_view message) {
    response_.resource_errors.push_back(
        {.name = Keep(name), .code = code, .message = Keep(message)});
    return *this;
  }
  Answer& BrokenError(absl::string_view name, absl::string_view problem) {
    Error(name, 0, "");
    response_.resource_errors.back().problem = std::string(problem);
    return *this;
  }
  // None of it can be used.
  Answer& Problem(absl::string_view problem) {
    response_.problem = std::string(problem);
    return *this;
  }

  const DiscoveryResponse& response() const { return response_; }

 private:
  absl::string_view Keep(absl::string_view text) { return texts_.emplace_back(text); }

  std::deque<std::string> texts_;  // Whose elements never move.
  DiscoveryResponse response_;
};

// What one event leads to. Equal only if everything is.
struct Lines {
  std::vector<std::string> lines;

  Lines() = default;
  explicit Lines(std::vector<std::string> all) : lines(std::move(all)) {}

  // Those that are for this person: "alice: ...".
  Lines For(absl::string_view person) const { return StartingWith(absl::StrCat(person, ": ")); }
  Lines StartingWith(absl::string_view start) const {
    Lines some;
    for (const std::string& line : lines) {
      if (absl::StartsWith(line, start)) some.lines.push_back(line);
    }
    return some;
  }

  friend bool operator==(const Lines&, const Lines&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Lines& all) {
    return out << (all.lines.empty() ? "nothing" : "\n  " + absl::StrJoin(all.lines, "\n  "));
  }
};

// --- The lines. ---

using Names = std::vector<std::string>;

inline std::string Request(absl::string_view type_name, const Names& names,
                           absl::string_view version, absl::string_view nonce) {
  return absl::StrCat("send ", type_name, " [", absl::StrJoin(names, " "), "] version \"", version,
                      "\" nonce \"", nonce, "\"");
}
// The first of a type on a stream, with no version to keep.
inline std::string Ask(const AnyResourceType& type, const Names& names) {
  return Request(type.type_name(), names, "", "");
}
inline std::string WithNode(absl::string_view request) { return absl::StrCat(request, " node"); }
inline std::string Ack(const AnyResourceType& type, const Names& names, absl::string_view version) {
  return Request(type.type_name(), names, version, absl::StrCat("n", version));
}
// The answer to a nonce that rejects it and keeps to an earlier version.
inline std::string Nack(const AnyResourceType& type, const Names& names, absl::string_view kept,
                        absl::string_view nonce, absl::string_view text) {
  return absl::StrCat(Request(type.type_name(), names, kept, nonce), " NACK 3: ", text);
}

inline std::string Gets(absl::string_view person, absl::string_view word,
                        absl::string_view version) {
  return absl::StrCat(person, ": ", word, " of version ", version);
}
// OnResourceChanged(error). `text` is all of it but the node id, with which every error ends.
inline std::string Fails(absl::string_view person, absl::StatusCode code, absl::string_view text) {
  return absl::StrCat(person, ": error ", absl::StatusCodeToString(code), ": ", text,
                      " (node \"web-1\")");
}
// OnAmbientError(error).
inline std::string Ambient(absl::string_view person, absl::StatusCode code,
                           absl::string_view text) {
  return absl::StrCat(person, ": ambient ", absl::StatusCodeToString(code), ": ", text,
                      " (node \"web-1\")");
}
inline std::string AllClear(absl::string_view person) {
  return absl::StrCat(person, ": all clear");
}

inline std::string Valid(const AnyResourceType& type, int64_t by) {
  return absl::StrCat("count resource_updates_valid ", type.type_name(), " ", by);
}
inline std::string Invalid(const AnyResourceType& type, int64_t by) {
  return absl::StrCat("count resource_updates_invalid ", type.type_name(), " ", by);
}
inline std::string Warns(absl::string_view text) { return absl::StrCat("log WARNING ", text); }
inline std::string Informs(absl::string_view text) { return absl::StrCat("log INFO ", text); }

// --- The conversation. ---

class Conversation {
 public:
  explicit Conversation(ServerFeatures features = {}, bool data_error_handling = true)
      : Conversation(Options(features, data_error_handling)) {}
  explicit Conversation(ProtocolOptions options) : protocol_(std::move(options)) {}

  static ProtocolOptions Options(ServerFeatures features = {}, bool data_error_handling = true) {
    ProtocolOptions options;
    options.server_uri = kServerUri;
    options.features = features;
    options.data_error_handling = data_error_handling;
    options.node.id = kNodeId;
    options.seed = 1;
    return options;
  }

  // A person watches one resource.
  Lines Watch(const std::string& person, const AnyResourceType& type, const std::string& name) {
    const WatchId watch(people_.size() + 1);
    people_.push_back(person);
    return Tell(WatchStarted{watch, &type, name});
  }
  Lines Cancel(absl::string_view person) {
    for (size_t i = people_.size(); i > 0; --i) {
      if (people_[i - 1] == person) return Tell(WatchCancelled{WatchId(i)});
    }
    return Lines({absl::StrCat("nobody is called ", person)});
  }

  Lines Sent() { return Tell(RequestSent{stream_}); }
  Lines Receive(const Answer& answer) { return Tell(ResponseReceived{stream_, answer.response()}); }
  Lines Finished() { return Tell(WatchersFinished{stream_}); }
  Lines StreamEnds(const absl::Status& status) { return Tell(StreamClosed{stream_, status}); }
  Lines ChannelFails(const absl::Status& status) {
    return Tell(StreamClosed{stream_, status, /*is_channel_failing=*/true});
  }

  // Every request that is on its way arrives, and those that follow.
  Lines Settle() {
    Lines all;
    while (is_sending_) Append(Sent(), all);
    return all;
  }

  // People watch one resource each, and get "v1" as version "1".
  void Begin(const AnyResourceType& type, const std::map<std::string, std::string>& places) {
    Answer answer(type, "1");
    for (const auto& [person, place] : places) {
      Watch(person, type, place);
      answer.Has(place, "v1");
    }
    Settle();
    Receive(answer);
    Settle();
    Finished();
  }

  // Time goes by, and the timers fire that are due, each at its time.
  Lines Pass(absl::Duration time) {
    Lines all;
    const absl::Time end = now_ + time;
    while (true) {
      auto next = timers_.begin();
      for (auto timer = timers_.begin(); timer != timers_.end(); ++timer) {
        if (timer->second < next->second) next = timer;
      }
      if (next == timers_.end() || next->second > end) break;
      now_ = next->second;
      const TimerId fired = next->first;
      timers_.erase(next);
      Append(Tell(TimerFired{fired}), all);
    }
    now_ = end;
    return all;
  }

  // Somebody sets the clock back.
  void Rewind(absl::Duration by) { now_ -= by; }

  Lines Tell(const Event& event) {
    is_sending_ &= !std::holds_alternative<RequestSent>(event);
    is_sending_ &= !std::holds_alternative<StreamClosed>(event);
    Lines lines;
    for (const Effect& effect : protocol_.Handle(now_, event)) {
      std::visit([&](const auto& its_kind) { lines.lines.push_back(Line(its_kind)); }, effect);
    }
    return lines;
  }

  ClientSnapshot Snapshot() const { return protocol_.Snapshot(); }
  // What the cache knows of it; with an empty name if it knows nothing.
  ResourceSnapshot Shown(const AnyResourceType& type, absl::string_view name) const {
    for (ResourceSnapshot& resource : protocol_.Snapshot().resources) {
      if (resource.name == name && absl::EndsWith(resource.type_url, type.type_name())) {
        return std::move(resource);
      }
    }
    return {};
  }
  // "acked v1 of version 1", "nacked_but_cached v1 of version 1; error of version 2: ...".
  std::string Cached(const AnyResourceType& type, absl::string_view name) const {
    const ResourceSnapshot shown = Shown(type, name);
    if (shown.name.empty()) return "unknown";
    std::string text = shown.cache_state;
    if (shown.bytes != nullptr) absl::StrAppend(&text, " ", *shown.bytes, " of ", shown.version);
    if (shown.error.has_value()) absl::StrAppend(&text, "; ", shown.error->text);
    return text;
  }

  // The last request, from now on forgotten; nullopt if there was none since.
  std::optional<DiscoveryRequest> TakeRequest() {
    return std::exchange(last_request_, std::nullopt);
  }

  StreamId stream() const { return stream_; }
  absl::Time now() const { return now_; }
  // How long the running timers still run, by number.
  std::map<uint64_t, absl::Duration> timers() const {
    std::map<uint64_t, absl::Duration> left;
    for (const auto& [timer, end] : timers_) left[timer.value()] = end - now_;
    return left;
  }

 private:
  static void Append(Lines some, Lines& all) {
    for (std::string& line : some.lines) all.lines.push_back(std::move(line));
  }

  std::string Line(const OpenStream& effect) {
    stream_ = effect.stream;
    return absl::StrCat("open stream ", effect.stream.value());
  }
  std::string Line(const CloseStream& effect) {
    is_sending_ = false;
    return absl::StrCat("close stream ", effect.stream.value());
  }
  std::string Line(const SendRequest& effect) {
    EXPECT_FALSE(is_sending_) << "two requests at once";
    EXPECT_EQ(effect.stream, stream_);
    is_sending_ = true;
    const DiscoveryRequest& request = last_request_.emplace(effect.request);
    std::string line =
        Request(absl::StripPrefix(request.type_url, kTypeUrlPrefix), request.resource_names,
                request.version_info, request.response_nonce);
    if (request.node.has_value()) line = WithNode(line);
    if (request.error_detail.has_value()) {
      absl::StrAppend(&line, " NACK ", request.error_detail->code, ": ",
                      request.error_detail->message);
    }
    return line;
  }
  std::string Line(const ReadNext& effect) {
    return absl::StrCat("read stream ", effect.stream.value());
  }
  std::string Line(const StartTimer& effect) {
    EXPECT_TRUE(timers_.emplace(effect.timer, now_ + effect.after).second);
    return absl::StrCat("start timer ", effect.timer.value(), ": ",
                        absl::FormatDuration(effect.after));
  }
  std::string Line(const CancelTimer& effect) {
    EXPECT_EQ(timers_.erase(effect.timer), size_t{1}) << "timer " << effect.timer;
    return absl::StrCat("cancel timer ", effect.timer.value());
  }
  std::string Line(const DeliverResource& effect) {
    const auto* word = dynamic_cast<const ResourceOf<std::string>*>(effect.value.get());
    return Gets(Person(effect.watch), word != nullptr ? word->value : "a resource", effect.version);
  }
  std::string Line(const DeliverError& effect) {
    return absl::StrCat(Person(effect.watch), ": error ",
                        absl::StatusCodeToString(effect.error->code), ": ", TextOf(*effect.error));
  }
  std::string Line(const DeliverAmbientError& effect) {
    if (effect.error == nullptr) return AllClear(Person(effect.watch));
    return absl::StrCat(Person(effect.watch), ": ambient ",
                        absl::StatusCodeToString(effect.error->code), ": ", TextOf(*effect.error));
  }
  std::string Line(const Count& effect) {
    EXPECT_EQ(effect.server, kServerUri);
    const absl::string_view name = absl::StripPrefix(effect.counter->name, "grpc.xds_client.");
    return absl::StrCat("count ", name, effect.type_name.empty() ? "" : " ", effect.type_name, " ",
                        effect.by);
  }
  std::string Line(const Log& effect) {
    return absl::StrCat("log ", NameOf(effect.severity), " ", effect.text);
  }

  const std::string& Person(WatchId watch) const { return people_.at(watch.value() - 1); }

  Protocol protocol_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  std::vector<std::string> people_;  // by watch
  std::map<TimerId, absl::Time> timers_;
  StreamId stream_;
  bool is_sending_ = false;
  std::optional<DiscoveryRequest> last_request_;
};

}  // namespace holdfast
