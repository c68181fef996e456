// Events and effects in one line each.
#include "absl/strings/str_join.h"
#include "base/error_detail.h"
#include "client/protocol/effects.h"
#include "client/protocol/events.h"

namespace holdfast {
namespace {

void Print(std::ostream& out, const WatchStarted& event) {
  out << "WatchStarted " << event.watch << " " << event.type->noun() << " " << event.name;
}
void Print(std::ostream& out, const WatchCancelled& event) {
  out << "WatchCancelled " << event.watch;
}
void Print(std::ostream& out, const RequestSent& event) { out << "RequestSent " << event.stream; }
void Print(std::ostream& out, const ResponseReceived& event) {
  const DiscoveryResponse& response = event.response;
  out << "ResponseReceived " << event.stream << " " << response.type_url << " version "
      << response.version_info << " nonce " << response.nonce << " resources ["
      << absl::StrJoin(response.resources, " ",
                       [](std::string* text, const ResourceEntry& resource) {
                         text->append(resource.name.data(), resource.name.size());
                       })
      << "] errors ["
      << absl::StrJoin(response.resource_errors, " ",
                       [](std::string* text, const ResourceError& error) {
                         absl::StrAppend(text, error.name, "=", error.code);
                       })
      << "]";
}
void Print(std::ostream& out, const ResponseUnreadable& event) {
  out << "ResponseUnreadable " << event.stream << " " << event.why;
}
void Print(std::ostream& out, const WatchersFinished& event) {
  out << "WatchersFinished " << event.stream;
}
void Print(std::ostream& out, const StreamClosed& event) {
  out << "StreamClosed " << event.stream << " " << event.status
      << (event.is_channel_failing ? " (channel failing)" : "");
}
void Print(std::ostream& out, const ChannelReady&) { out << "ChannelReady"; }
void Print(std::ostream& out, const TimerFired& event) { out << "TimerFired " << event.timer; }

void Print(std::ostream& out, const OpenStream& effect) { out << "OpenStream " << effect.stream; }
void Print(std::ostream& out, const CloseStream& effect) { out << "CloseStream " << effect.stream; }
void Print(std::ostream& out, const SendRequest& effect) {
  const DiscoveryRequest& request = effect.request;
  out << "SendRequest " << effect.stream << " " << request.type_url << " version \""
      << request.version_info << "\" nonce \"" << request.response_nonce << "\" ["
      << absl::StrJoin(request.resource_names, " ") << "]";
  if (request.node.has_value()) out << " with node";
  if (request.error_detail.has_value()) {
    out << " NACK " << request.error_detail->code << ": " << request.error_detail->message;
  }
}
void Print(std::ostream& out, const ReadNext& effect) { out << "ReadNext " << effect.stream; }
void Print(std::ostream& out, const StartTimer& effect) {
  out << "StartTimer " << effect.timer << " " << effect.after;
}
void Print(std::ostream& out, const CancelTimer& effect) { out << "CancelTimer " << effect.timer; }
void Print(std::ostream& out, const DeliverResource& effect) {
  out << "DeliverResource " << effect.watch << " version " << effect.version;
}
void Print(std::ostream& out, const DeliverError& effect) {
  out << "DeliverError " << effect.watch << " " << effect.error->code << ": "
      << TextOf(*effect.error);
}
void Print(std::ostream& out, const DeliverAmbientError& effect) {
  out << "DeliverAmbientError " << effect.watch << " ";
  if (effect.error == nullptr) {
    out << "OK";
  } else {
    out << effect.error->code << ": " << TextOf(*effect.error);
  }
}
void Print(std::ostream& out, const Count& effect) {
  out << "Count " << effect.counter->name << " " << effect.type_name << " by " << effect.by;
}
void Print(std::ostream& out, const Log& effect) {
  out << "Log " << NameOf(effect.severity) << " " << effect.text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Event& event) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, event);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Effect& effect) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, effect);
  return out;
}

}  // namespace holdfast
