// The thread on which a client calls its watchers: one call after another, in order.
//
// Users' code runs here, so nothing is known about how long a call takes. Nobody waits for it: not
// the destructor, not the end of the process.
#pragma once

#include <functional>
#include <memory>

namespace holdfast {

class DeliveryThread {
 public:
  DeliveryThread();
  // Calls that have not begun never begin. One that runs may still be running afterwards.
  ~DeliveryThread();
  DeliveryThread(const DeliveryThread&) = delete;
  DeliveryThread& operator=(const DeliveryThread&) = delete;

  // Thread-safe. The thread starts with the first.
  void Post(std::function<void()> call);
  // As the destructor does. Thread-safe, also from inside a call.
  void Stop();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace holdfast
