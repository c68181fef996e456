// The port to one xDS server: streams of bytes over one channel.
//
// All calls, in both directions, happen on the loop thread. Nothing is reported from inside a call:
// news comes later, from the loop.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xds/stream_id.h"

namespace holdfast {

class AdsTransport {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The message of the last Send is on an established connection. A server's answer to it may be
    // reported before this is.
    virtual void OnSent(StreamId stream) = 0;
    // One message, in the pieces it came in, which live until this returns.
    virtual void OnMessage(StreamId stream, absl::Span<const absl::string_view> pieces) = 0;
    // The last news of a stream. Not called for one that Close ended.
    virtual void OnClosed(StreamId stream, const absl::Status& status, bool is_channel_failing) = 0;
    // The channel has a connection again; called only while no stream is open.
    virtual void OnChannelReady() = 0;
  };

  // Closes what is open, at once; no news comes afterwards.
  virtual ~AdsTransport() = default;

  // REQUIRES: no stream is open.
  virtual void Open(StreamId stream) = 0;
  // REQUIRES: the stream is open and its last message was reported as sent, or it had none.
  virtual void Send(StreamId stream, std::string message) = 0;
  // Asks for one message. REQUIRES: the stream is open and no message is asked for.
  virtual void Read(StreamId stream) = 0;
  virtual void Close(StreamId stream) = 0;
};

}  // namespace holdfast
