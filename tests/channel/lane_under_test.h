// One channel, on one of the lanes.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/channel_interface.h>

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
};
inline constexpr Lane kLanes[] = {Lane::kPlain, Lane::kFast, Lane::kDeferred};

inline std::string NameOf(Lane lane) {
  return lane == Lane::kPlain ? "Plain" : lane == Lane::kFast ? "Fast" : "Deferred";
}

inline void PrintTo(Lane lane, std::ostream* out) { *out << NameOf(lane); }

// For one call: when one waits on the deferred lane, it and all later ones start.
class LaneUnderTest {
 public:
  LaneUnderTest(Lane lane, std::shared_ptr<grpc::Channel> connection,
                const SharedInterceptors& interceptors = {}) {
    if (lane == Lane::kPlain) {
      channel_ = std::move(connection);
    } else {
      director_ = std::make_shared<FakeDirector>();
      channel_ = ChannelOf(director_, interceptors);
      if (lane == Lane::kFast) {
        director_->StartOn(std::move(connection));
      } else {
        starter_.emplace(director_, std::move(connection));
      }
    }
    stub_ = echo::Echo::NewStub(channel_);
  }

  echo::Echo::Stub& stub() { return *stub_; }
  const std::shared_ptr<grpc::ChannelInterface>& channel() { return channel_; }
  // How many calls have waited.
  int waited() const { return director_ == nullptr ? 0 : director_->waited(); }

 private:
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
