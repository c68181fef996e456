#include "tests/simulation/network.h"

#include <utility>

#include "base/check.h"

namespace holdfast {
namespace {

absl::Status RandomEnd(Chance& chance) {
  switch (chance.Below(3)) {
    case 0:
      return absl::UnavailableError("connection reset");
    case 1:
      return absl::ResourceExhaustedError("too many streams");
    default:
      return absl::OkStatus();
  }
}

}  // namespace

void Network::Do(const OpenStream& order) {
  if (is_open()) findings_.Add("a stream is opened while another is open");
  if (order.stream <= newest_) findings_.Add("the id of a stream is used twice");
  End();
  stream_ = newest_ = order.stream;
  server_.Connect();
}

void Network::Do(const CloseStream& order) {
  if (!is_open() || order.stream != stream_) findings_.Add("a stream is closed that is not open");
  End();
}

void Network::Do(const SendRequest& order) {
  if (!is_open() || order.stream != stream_) {
    findings_.Add("a request is sent on a stream that is not open");
    return;
  }
  if (in_flight_.has_value()) findings_.Add("a request is sent while another is in flight");
  in_flight_ = order.request;
  has_arrived_early_ = chance_.OneIn(3);
  if (has_arrived_early_) to_server_.push_back(order.request);
}

void Network::Do(const ReadNext& order) {
  if (!is_open() || order.stream != stream_) {
    findings_.Add("a read is ordered on a stream that is not open");
    return;
  }
  if (is_reading_) findings_.Add("a read is ordered while another is outstanding");
  if (is_waiting_for_watchers_) findings_.Add("a read is ordered before the watchers are done");
  is_reading_ = true;
}

void Network::End() {
  for (const DiscoveryRequest& lost : to_server_) server_.NeverReceived(lost);
  to_server_.clear();
  to_client_.clear();
  in_flight_.reset();
  is_reading_ = false;
  is_waiting_for_watchers_ = false;
  stream_ = StreamId();
}

bool Network::IsQuiet() const {
  return to_server_.empty() && to_client_.empty() && !in_flight_.has_value() &&
         !is_waiting_for_watchers_ && (!is_open() || !server_.HasNews());
}

void Network::DeliverRequest() {
  server_.Receive(to_server_.front());
  to_server_.pop_front();
}

void Network::SendNonsense() {
  if (chance_.OneIn(12)) {
    to_client_.push_back({DiscoveryResponse(), false});
  } else {
    to_client_.push_back({server_.Misbehave(), true});
  }
}

Event Network::ReportSent() {
  HOLDFAST_CHECK(in_flight_.has_value());
  if (!has_arrived_early_) to_server_.push_back(*std::move(in_flight_));
  in_flight_.reset();
  return RequestSent{stream_};
}

Event Network::DeliverResponse() {
  HOLDFAST_CHECK(CanDeliver());
  Response next = std::move(to_client_.front());
  to_client_.pop_front();
  is_reading_ = false;
  if (!next.is_readable) {
    return ResponseUnreadable{stream_, absl::InvalidArgumentError("not a response")};
  }
  return ResponseReceived{stream_, std::move(next.response)};
}

Event Network::ReportWatchersFinished() {
  HOLDFAST_CHECK(is_waiting_for_watchers_);
  is_waiting_for_watchers_ = false;
  return WatchersFinished{stream_};
}

Event Network::LoseStream() {
  HOLDFAST_CHECK(is_open());
  const StreamId lost = stream_;
  End();
  return StreamClosed{lost, RandomEnd(chance_), chance_.OneIn(2)};
}

std::optional<Event> Network::LateNews() {
  const uint64_t dead = newest_.value() - (is_open() ? 1 : 0);
  if (!newest_.is_set() || dead == 0) return std::nullopt;
  const StreamId stream(dead - static_cast<uint64_t>(chance_.Below(static_cast<int>(dead))));
  switch (chance_.Below(5)) {
    case 0:
      return RequestSent{stream};
    case 1:
      return StreamClosed{stream, RandomEnd(chance_), chance_.OneIn(2)};
    case 2:
      return WatchersFinished{stream};
    case 3:
      return ResponseUnreadable{stream, absl::InvalidArgumentError("not a response")};
    default:
      break;
  }
  DiscoveryResponse response;
  response.type_url = TypeUrlAt(chance_.Below(kTypes));
  response.version_info = "late";
  response.nonce = "late";
  if (chance_.OneIn(2)) {
    response.resources.push_back({.name = NameAt(chance_.Below(kNames)),
                                  .type_url = response.type_url,
                                  .body = ContentAt(chance_.Below(kContents)),
                                  .has_body = true});
  }
  return ResponseReceived{stream, std::move(response)};
}

}  // namespace holdfast
