// Many threads that make calls of every shape, one after the other: some are cancelled, some have
// hardly any time, some wait for ready, and some are prepared and never started.
//
//   CallStress stress({channel}, [](const StressedCall& call, const Outcome& outcome) { … });
//   std::this_thread::sleep_for(StressTime());
//   stress.Stop();   // every call that was begun comes to its end, or this does not return
#pragma once

#include <grpcpp/impl/channel_interface.h>
#include <grpcpp/support/client_interceptor.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/channel/call_shapes.h"

namespace holdfast {

// HOLDFAST_STRESS_SECONDS, or a few.
std::chrono::seconds StressTime();

struct StressedCall {
  Shape shape;
  bool is_cancelled = false;  // some time or other, maybe too late
  bool has_little_time = false;
  bool waits_for_ready = false;
};

class CallStress {
 public:
  static constexpr size_t kCallers = 8;

  // Hears of every call that ended; several at the same time.
  using Judge = std::function<void(const StressedCall& call, const Outcome& outcome)>;

  // Each caller has one of the channels.
  CallStress(const std::vector<std::shared_ptr<grpc::ChannelInterface>>& channels, Judge judge);
  ~CallStress();

  void Stop();

  // How many calls ended with this code.
  int count(grpc::StatusCode code) const { return codes_.at(static_cast<size_t>(code)); }
  // "prepared 12, OK 340, CANCELLED 17"
  std::string Summary() const;

 private:
  void CallOnAndOn(const std::shared_ptr<grpc::ChannelInterface>& channel, unsigned seed);
  void CallOnce(acme::test::v1::Echo::Stub& stub, std::mt19937& random);

  const Judge judge_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> prepared_ = 0;
  std::array<std::atomic<int>, 17> codes_ = {};
  std::vector<std::thread> callers_;
};

// An interceptor that counts the calls there are.
class LivingCalls final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo*) override {
    return new One(living_);
  }
  int living() const { return living_; }

 private:
  class One final : public grpc::experimental::Interceptor {
   public:
    explicit One(std::atomic<int>& living) : living_(living) { ++living_; }
    ~One() override { --living_; }
    void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
      methods->Proceed();
    }

   private:
    std::atomic<int>& living_;
  };
  std::atomic<int> living_ = 0;
};

}  // namespace holdfast
