// The state behind Protocol, and one handler for each event. protocol.cc has the watches and
// timers, stream_events.cc the stream and its requests, response_events.cc what comes on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/protocol/backoff.h"
#include "client/protocol/client_errors.h"
#include "client/protocol/events.h"
#include "client/protocol/live_stream.h"
#include "client/protocol/protocol.h"
#include "client/protocol/resource_timers.h"
#include "client/protocol/response_judge.h"
#include "client/protocol/server_status.h"
#include "client/protocol/subscribed_type.h"
#include "client/protocol/turn.h"

namespace holdfast {

class ProtocolState {
 public:
  explicit ProtocolState(ProtocolOptions options);

  void On(const WatchStarted& event, Turn& turn);
  void On(const WatchCancelled& event, Turn& turn);
  void On(const TimerFired& event, Turn& turn);

  void On(const RequestSent& event, Turn& turn);
  void On(const StreamClosed& event, Turn& turn);
  void On(const ChannelReady& event, Turn& turn);
  void On(const WatchersFinished& event, Turn& turn);

  void On(const ResponseReceived& event, Turn& turn);
  void On(const ResponseUnreadable& event, Turn& turn);

  ClientSnapshot Snapshot() const;
  // Null if nobody watched one of that name.
  SubscribedType* FindType(absl::string_view type_name) const;

 private:
  struct Watched {
    SubscribedType* type;
    CacheEntry* entry;
  };

  // Watches.
  absl::Status CheckType(const AnyResourceType& type) const;
  absl::Status CheckName(const AnyResourceType& type, absl::string_view name) const;
  // REQUIRES: CheckType has nothing against it.
  SubscribedType& StateOf(const AnyResourceType& type);
  // How the server learns that we no longer want an entry.
  enum class ServerHears { kNot, kByTheNextRequest };
  void Forget(SubscribedType& type, CacheEntry& entry, ServerHears hears, Turn& turn);
  void ForgetEverything(Turn& turn);
  void OnResourceTimer(SubscribedType& type, CacheEntry& entry, Turn& turn);

  // The stream.
  void ConnectIfNeeded(Turn& turn);
  void Open(Turn& turn);
  void EndStream(Turn& turn);
  void TellServerFailed(const StreamClosed& event, Turn& turn);
  void SendWhatIsDue(Turn& turn);
  bool SendIfDue(SubscribedType& type, Turn& turn);
  void Hold(SubscribedType& type, absl::Duration hold, Turn& turn);
  void CancelHold(SubscribedType& type, Turn& turn);
  void ForgetUnwanted(SubscribedType& type, ServerHears hears, Turn& turn);
  absl::Duration ResourceTimeout() const;

  // Responses.
  void SawResponse(Turn& turn);
  void Judge(SubscribedType& type, const DiscoveryResponse& response, Turn& turn);
  void TellServerIsBackToAll(Turn& turn);
  void ReadOrWait(Turn& turn);

  const ProtocolOptions options_;
  const ClientErrors errors_;
  IdSource<TimerId> timer_ids_;
  IdSource<StreamId> stream_ids_;

  // In the order of their first watch; they stay for good, for there are few.
  std::vector<std::unique_ptr<SubscribedType>> types_;
  std::map<WatchId, Watched> watches_;
  ResourceTimers resource_timers_;

  LiveStream stream_;
  ServerStatus server_;
  Backoff backoff_;
  absl::Time last_opened_ = absl::InfinitePast();
  absl::Time not_before_ = absl::InfinitePast();  // the next attempt to open a stream
  TimerId reconnect_;                             // not set: none runs
  bool is_waiting_for_connection_ = false;        // the last stream never had one
  size_t next_type_ = 0;                          // whose turn it is to send
  uint64_t responses_ = 0;
  std::set<std::string> not_enforced_;
  std::set<std::string> unknown_types_;  // that were logged
};

}  // namespace holdfast
