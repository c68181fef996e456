// Where a call goes: the question that every lane asks, and the one place that answers.
//
//   XdsChannel ── Direct ──▶ kStart  the fast lane: a call of the connection's own channel
//                            kWait   the deferred lane: parked until TryAgain succeeds
//                            kFail   the fail lane, or the deferred one if it waits for ready
//                            kDrop   the fail lane
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "channel/routing/routed_call.h"

namespace holdfast {

struct Direction {
  enum class Kind { kStart, kWait, kFail, kDrop };
  Kind kind = Kind::kWait;
  std::shared_ptr<grpc::Channel> channel;  // kStart
  // No longer than this, counted from when the application made the call; where it is known.
  std::optional<absl::Duration> longest;
  grpc::Status status;    // kFail, kDrop: what the caller will see
  std::string waits_for;  // kWait: "cluster \"pay\": no endpoint is connected yet"
};

// A call that has nowhere to go yet.
class WaitingCall {
 public:
  virtual ~WaitingCall() = default;
  // Asks again. True: it has gone, or has failed, or nobody wants it any more. Any thread; no lock
  // of the director is held.
  virtual bool TryAgain() = 0;
};

// What a waiting call has chosen already, and keeps: its cluster, for as long as it holds this.
class WaitingPlace {
 public:
  virtual ~WaitingPlace() = default;
};

// Thread-safe.
class CallDirector {
 public:
  virtual ~CallDirector() = default;

  // Never blocks. `place` is null the first time a call asks, and is kept by the call while it
  // waits; where the answer is kWait or kFail it may be set.
  virtual Direction Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) = 0;

  // Grows when the answer to a call may have become another one.
  virtual uint64_t changes() const = 0;

  // From now on `call` is asked to try again whenever the answer may be another one, until it
  // returns true or is gone. What changed since its last Direct is not missed: it is asked at once.
  // A call that is given another place while it tries again waits there, and leaves the old one by
  // returning true.
  virtual void Wait(std::weak_ptr<WaitingCall> call, std::shared_ptr<WaitingPlace> place) = 0;
};

}  // namespace holdfast
