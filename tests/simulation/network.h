// The way between the client and the server, and the driver that walks it for the protocol: one
// stream at a time, messages on their way in both directions, loss, and news that comes too late.
//
// It only reports what a correct driver may report, and finds fault with orders that a transport
// may refuse (runtime/ads_transport.h).
#pragma once

#include <deque>
#include <optional>

#include "client/protocol/effects.h"
#include "client/protocol/events.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/server_model.h"

namespace holdfast {

class Network {
 public:
  Network(Chance& chance, ServerModel& server, Findings& findings)
      : chance_(chance), server_(server), findings_(findings) {}

  // Orders of the protocol.
  void Do(const OpenStream& order);
  void Do(const CloseStream& order);
  void Do(const SendRequest& order);
  void Do(const ReadNext& order);
  // The last response called watchers, and they have not returned.
  void WaitForWatchers() { is_waiting_for_watchers_ = true; }

  bool is_open() const { return stream_.is_set(); }
  StreamId stream() const { return stream_; }
  bool is_request_in_flight() const { return in_flight_.has_value(); }
  bool is_reading() const { return is_reading_; }
  bool is_waiting_for_watchers() const { return is_waiting_for_watchers_; }
  bool is_request_on_its_way() const { return !to_server_.empty(); }
  bool CanDeliver() const { return is_reading_ && !to_client_.empty(); }
  // Nothing is on its way, and nobody has anything to say.
  bool IsQuiet() const;

  // What the server sees and does.
  void DeliverRequest();
  void SendAnswer() { to_client_.push_back({server_.Answer(), true}); }
  void SendNonsense();

  // What the client hears. REQUIRES: it can be so, see above.
  Event ReportSent();
  Event DeliverResponse();
  Event ReportWatchersFinished();
  Event LoseStream();
  // Of a stream that is no more; nullopt if there was none.
  std::optional<Event> LateNews();

 private:
  struct Response {
    DiscoveryResponse response;
    bool is_readable = true;
  };

  void End();

  Chance& chance_;
  ServerModel& server_;
  Findings& findings_;

  StreamId stream_;  // not set: none lives
  StreamId newest_;
  std::optional<DiscoveryRequest> in_flight_;  // not yet reported as sent
  bool has_arrived_early_ = false;             // before it was reported
  bool is_reading_ = false;
  bool is_waiting_for_watchers_ = false;
  std::deque<DiscoveryRequest> to_server_;
  std::deque<Response> to_client_;
};

}  // namespace holdfast
