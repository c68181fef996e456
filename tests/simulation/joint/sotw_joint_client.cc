#include "tests/simulation/joint/sotw_joint_client.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/error_detail.h"
#include "tests/simulation/joint/joint_world.h"
#include "wire/envelope.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr size_t kMostWatchers = 10;

ProtocolOptions OptionsOf(uint64_t seed, bool fail_on_data_errors) {
  ProtocolOptions options;
  options.server_uri = "cp";
  options.node.id = absl::StrCat("sotw-", seed);
  options.features.fail_on_data_errors = fail_on_data_errors;
  options.seed = seed;
  return options;
}

}  // namespace

SotwJointClient::SotwJointClient(uint64_t seed, bool fail_on_data_errors, Chance& chance,
                                 JointServer& server, Findings& findings)
    : chance_(chance),
      server_(server),
      findings_(findings),
      protocol_(OptionsOf(seed, fail_on_data_errors)) {}

void SotwJointClient::ChangeInterest(absl::Time now) {
  if (!watchers_.empty() && (watchers_.size() == kMostWatchers || chance_.OneIn(2))) {
    const auto gone =
        std::next(watchers_.begin(), chance_.Below(static_cast<int>(watchers_.size())));
    const WatchId id = gone->first;
    watchers_.erase(gone);
    Tell(now, WatchCancelled{id});
    return;
  }
  const WatchId id(++last_watch_);
  const Watcher watcher{.type = chance_.Below(kJointTypes), .name = chance_.Below(kJointNames)};
  watchers_.emplace(id, watcher);
  Tell(now, WatchStarted{id, &JointType(watcher.type), JointName(watcher.type, watcher.name)});
}

void SotwJointClient::Tell(absl::Time now, const Event& event) {
  calls_watchers_ = false;
  for (const Effect& effect : protocol_.Handle(now, event)) Do(now, effect);
}

void SotwJointClient::Do(absl::Time now, const Effect& effect) {
  if (const auto* open = std::get_if<OpenStream>(&effect)) {
    stream_ = open->stream;
    server_stream_ = server_.is_up() ? server_.Open(Variant::kSotw) : 0;
  } else if (std::holds_alternative<CloseStream>(effect)) {
    server_.Close(server_stream_);
    StreamIsGone();
  } else if (const auto* send = std::get_if<SendRequest>(&effect)) {
    in_flight_ = send->request;
  } else if (std::holds_alternative<ReadNext>(effect)) {
    is_reading_ = true;
  } else if (const auto* start = std::get_if<StartTimer>(&effect)) {
    timers_[start->timer] = now + start->after;
  } else if (const auto* cancel = std::get_if<CancelTimer>(&effect)) {
    timers_.erase(cancel->timer);
  } else if (const auto* resource = std::get_if<DeliverResource>(&effect)) {
    calls_watchers_ = true;
    Watcher& watcher = watchers_.at(resource->watch);
    watcher.content = ContentOfJoint(*resource->value);
    watcher.error = nullptr;
  } else if (const auto* error = std::get_if<DeliverError>(&effect)) {
    calls_watchers_ = true;
    watchers_.at(error->watch).content.reset();
    watchers_.at(error->watch).error = error->error;
  } else if (const auto* ambient = std::get_if<DeliverAmbientError>(&effect)) {
    calls_watchers_ = true;
    watchers_.at(ambient->watch).error = ambient->error;
  }
}

void SotwJointClient::StreamIsGone() {
  stream_ = StreamId();
  server_stream_ = 0;
  in_flight_.reset();
  to_server_.clear();
  is_reading_ = false;
  waits_for_watchers_ = false;
}

void SotwJointClient::LoseStream(absl::Time now) {
  if (!stream_.is_set()) return;
  server_.Close(server_stream_);
  const StreamId lost = stream_;
  StreamIsGone();
  Tell(now, StreamClosed{lost, absl::UnavailableError("lost")});
}

bool SotwJointClient::Pass(absl::Time now) {
  if (!stream_.is_set()) return false;
  if (!server_.IsOpen(server_stream_)) {
    LoseStream(now);
    return true;
  }
  for (int first = chance_.Below(5), i = 0; i < 5; ++i) {
    switch ((first + i) % 5) {
      case 0:
        if (!in_flight_.has_value()) break;
        to_server_.push_back(*std::exchange(in_flight_, std::nullopt));
        Tell(now, RequestSent{stream_});
        return true;
      case 1:
        if (to_server_.empty()) break;
        server_.Tell(now, server_stream_, RequestReceived{to_server_.front()});
        to_server_.pop_front();
        return true;
      case 2:
        if (!server_.IsWriting(server_stream_)) break;
        server_.FinishWrite(now, server_stream_);
        return true;
      case 3:
        if (!is_reading_ || !server_.HasMessage(server_stream_)) break;
        return DeliverResponse(now);
      case 4:
        if (!waits_for_watchers_) break;
        waits_for_watchers_ = false;
        Tell(now, WatchersFinished{stream_});
        return true;
    }
  }
  return false;
}

bool SotwJointClient::DeliverResponse(absl::Time now) {
  const std::string message = server_.TakeMessage(server_stream_);
  absl::StatusOr<DiscoveryResponse> response =
      ScanResponse(message, [](absl::string_view) { return uint32_t{1}; });
  if (!response.ok()) {
    findings_.Add(absl::StrCat("a response that cannot be read: ", response.status().ToString()));
    return true;
  }
  is_reading_ = false;
  const StreamId stream = stream_;
  Tell(now, ResponseReceived{stream, *std::move(response)});
  if (stream_ == stream && calls_watchers_) waits_for_watchers_ = true;
  return true;
}

std::optional<absl::Time> SotwJointClient::NextWake() const {
  std::optional<absl::Time> next = server_.WakesAt(server_stream_);
  for (const auto& [timer, when] : timers_) next = std::min(next.value_or(when), when);
  return next;
}

void SotwJointClient::Wake(absl::Time now) {
  const std::optional<absl::Time> session = server_.WakesAt(server_stream_);
  if (session.has_value() && *session <= now) {
    server_.Tell(now, server_stream_, TimeReached{});
    return;
  }
  for (const auto& [timer, when] : timers_) {
    if (when > now) continue;
    const TimerId fired = timer;
    timers_.erase(fired);
    Tell(now, TimerFired{fired});
    return;
  }
}

std::string SotwJointClient::Ignorance() const {
  for (const auto& [id, watcher] : watchers_) {
    const std::string type(JointType(watcher.type).type_name());
    const TypeViewPtr& served = server_.view().Of(type);
    const ResourcePtr* const resource = served->Find(JointName(watcher.type, watcher.name));
    const ErrorDetail* const error = watcher.error.get();
    bool knows = false;
    if (resource != nullptr) {
      const DecodedResource truth =
          JointType(watcher.type).Decode((*resource)->body(), DecodeContext());
      knows = truth.value == nullptr
                  ? error != nullptr && error->cause == Cause::kNack
                  : error == nullptr && watcher.content == ContentOfJoint(*truth.value);
    } else if (server_.options().tp3 == Tp3Mode::kOff) {
      // It was told by its timer, by a deletion, or not at all (R1.42); and of a server that has
      // nothing to say nobody can know that it is back.
      knows = watcher.content.has_value() || error != nullptr;
    } else {
      const NameError* const said = served->FindError(JointName(watcher.type, watcher.name));
      const auto code =
          said == nullptr ? absl::StatusCode::kNotFound : static_cast<absl::StatusCode>(said->code);
      knows = error != nullptr && error->cause == Cause::kServerError && error->code == code;
    }
    if (knows) continue;
    return absl::StrCat("watcher ", id.value(), " of ", type, " ",
                        JointName(watcher.type, watcher.name), " uses ",
                        watcher.content.has_value() ? absl::StrCat(*watcher.content) : "nothing",
                        ", heard ", error == nullptr ? "no error" : TextOf(*error), "; served is ",
                        resource == nullptr ? "nothing" : (*resource)->version());
  }
  return "";
}

}  // namespace holdfast
