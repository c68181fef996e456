// One channel, on one of the lanes.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/channel_interface.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "channel/call/channel_state.h"
#include "channel/call/xds_channel.h"
#include "tests/channel/echo_server.h"
#include "tests/channel/fake_director.h"

namespace holdfast {

// A channel of ours whose calls go where `director` says.
inline std::shared_ptr<XdsChannel> ChannelOf(const std::shared_ptr<CallDirector>& director,
                                             const SharedInterceptors& interceptors = {}) {
  return std::make_shared<XdsChannel>(director, std::make_shared<ChannelState>([] {}),
                                      interceptors);
}

enum class Lane {
  kPlain,  // gRPC's own channel: what the others are compared with
  kFast,
  kDeferred,
  kPrepared,   // on the fast lane, of a call that may wait (prepared_call.h)
  kTakenOver,  // the same, and something changes before it starts
};
inline constexpr Lane kLanes[] = {Lane::kPlain, Lane::kFast, Lane::kDeferred, Lane::kPrepared,
                                  Lane::kTakenOver};

inline std::string NameOf(Lane lane) {
  static constexpr const char* kNames[] = {"Plain", "Fast", "Deferred", "Prepared", "TakenOver"};
  return kNames[static_cast<int>(lane)];
}

// Whether calls of this lane wait for readiness.
inline bool WaitsForReady(Lane lane) { return lane == Lane::kPrepared || lane == Lane::kTakenOver; }

// Whether it becomes a DeferredCall.
inline bool IsDeferred(Lane lane) { return lane == Lane::kDeferred || lane == Lane::kTakenOver; }

inline void PrintTo(Lane lane, std::ostream* out) { *out << NameOf(lane); }

// Makes every context of the program wait for readiness, as long as there is one of these: the
// application's code is the same on every lane.
class EveryContextWaits {
 public:
  explicit EveryContextWaits(bool waits) : waits_(waits) {
    static Setter& setter = *[] {
      auto* const made = new Setter;
      grpc::ClientContext::SetGlobalCallbacks(made);
      return made;
    }();
    setter_ = &setter;
    if (waits_) ++setter_->waiting;
  }
  ~EveryContextWaits() {
    if (waits_) --setter_->waiting;
  }
  EveryContextWaits(const EveryContextWaits&) = delete;
  EveryContextWaits& operator=(const EveryContextWaits&) = delete;

 private:
  struct Setter final : grpc::ClientContext::GlobalCallbacks {
    void DefaultConstructor(grpc::ClientContext* context) override {
      if (waiting > 0) context->set_wait_for_ready(true);
    }
    void Destructor(grpc::ClientContext*) override {}
    std::atomic<int> waiting = 0;
  };

  const bool waits_;
  Setter* setter_ = nullptr;
};

// For one call: when one waits on the deferred lane, it and all later ones start. Contexts are to
// be made after it.
class LaneUnderTest {
 public:
  LaneUnderTest(Lane lane, std::shared_ptr<grpc::Channel> connection,
                const SharedInterceptors& interceptors = {})
      : contexts_(WaitsForReady(lane)) {
    if (lane == Lane::kPlain) {
      channel_ = std::move(connection);
    } else {
      director_ = std::make_shared<FakeDirector>();
      channel_ = ChannelOf(director_, interceptors);
      if (lane == Lane::kDeferred) {
        starter_.emplace(director_, std::move(connection));
      } else {
        director_->StartOn(connection);
      }
      if (lane == Lane::kTakenOver) {
        // A call has counted the changes before it asks.
        director_->OnAsked(
            [director = director_.get(), connection] { director->StartOn(connection); });
      }
    }
    stub_ = echo::Echo::NewStub(channel_);
  }

  echo::Echo::Stub& stub() { return *stub_; }
  const std::shared_ptr<grpc::ChannelInterface>& channel() { return channel_; }
  // How many calls have waited.
  int waited() const { return director_ == nullptr ? 0 : director_->waited(); }

 private:
  const EveryContextWaits contexts_;
  std::shared_ptr<FakeDirector> director_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
  std::unique_ptr<echo::Echo::Stub> stub_;
  std::optional<StartsWhoeverWaits> starter_;
};

inline std::chrono::system_clock::time_point In(absl::Duration duration) {
  return std::chrono::system_clock::now() + absl::ToChronoNanoseconds(duration);
}

inline echo::EchoRequest RequestOf(const std::string& text) {
  echo::EchoRequest request;
  request.set_text(text);
  return request;
}

}  // namespace holdfast
