// A director that says what a test tells it to say.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "channel/call/call_director.h"

namespace holdfast {

class FakeDirector final : public CallDirector {
 public:
  // The answer from now on, also for those who wait. At first it is kWait. Thread-safe.
  void Answer(Direction direction);
  void StartOn(std::shared_ptr<grpc::Channel> channel,
               std::optional<absl::Duration> longest = std::nullopt);
  void MakeWait();
  void Fail(grpc::StatusCode code, std::string message);
  void Drop(grpc::StatusCode code, std::string message);

  // Runs whenever a call asks, before it is answered. Not while calls are made.
  void OnAsked(std::function<void()> then) { on_asked_ = std::move(then); }

  // Blocks until that many calls wait. False: they never came, or GiveUp was called.
  bool AwaitWaiting(size_t calls);
  void GiveUp();

  // How often it was asked, and for how many calls it was told to wait.
  int asked() const;
  int waited() const;

  Direction Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) override;
  uint64_t changes() const override;
  void Wait(std::weak_ptr<WaitingCall> call, std::shared_ptr<WaitingPlace> place) override;

 private:
  // The version of the answer that a call got.
  struct Place final : WaitingPlace {
    uint64_t version = 0;
  };

  void RetryAll();

  std::function<void()> on_asked_ = [] {};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Direction answer_;
  uint64_t version_ = 0;
  std::vector<std::weak_ptr<WaitingCall>> waiting_;
  int asked_ = 0;
  int waited_ = 0;
  bool has_given_up_ = false;
};

// As soon as a call waits, lets it start: on a thread of its own, as a director would.
class StartsWhoeverWaits final {
 public:
  StartsWhoeverWaits(std::shared_ptr<FakeDirector> director,
                     std::shared_ptr<grpc::Channel> channel);
  ~StartsWhoeverWaits();

 private:
  const std::shared_ptr<FakeDirector> director_;
  std::thread thread_;
};

}  // namespace holdfast
