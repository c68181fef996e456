// The one stream that lives, if one does: what is on its way in both directions.
#pragma once

#include "client/protocol/ids.h"

namespace holdfast {

struct SubscribedType;

struct LiveStream {
  StreamId id;                           // not set: no stream lives
  bool has_sent_node = false;            // in the first request, and only there (R1.05)
  bool had_connection = false;           // a request went out on one, or something came
  bool has_seen_response = false;        // decides what its end means (A57)
  bool has_sent_garbage = false;         // which is logged once a stream
  SubscribedType* in_flight = nullptr;   // the type of the request on its way
  bool is_waiting_for_watchers = false;  // the next read is theirs to release (R1.21)

  bool is_open() const { return id.is_set(); }
  // Late news of a stream that was replaced changes nothing.
  bool Is(StreamId stream) const { return is_open() && id == stream; }
};

}  // namespace holdfast
