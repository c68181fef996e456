// The tag of a gRPC operation that keeps its owner alive until it completes.
//
// A member of its owner, one for each kind of operation that can be pending at the same time. So
// an owner that everybody else forgot lives exactly as long as gRPC may write to it. Used on the
// loop thread only.
#pragma once

#include <memory>
#include <utility>

#include "base/check.h"
#include "runtime/control_loop.h"

namespace holdfast {

template <class Owner>
class PendingOp final : public Completion {
 public:
  using Handler = void (Owner::*)(bool ok);

  explicit PendingOp(Handler handler) : handler_(handler) {}
  PendingOp(const PendingOp&) = delete;
  PendingOp& operator=(const PendingOp&) = delete;

  // The tag to start an operation with. REQUIRES: none is pending.
  void* Begin(std::shared_ptr<Owner> owner) {
    HOLDFAST_CHECK(owner_ == nullptr);
    owner_ = std::move(owner);
    return static_cast<Completion*>(this);
  }

  bool is_pending() const { return owner_ != nullptr; }

  void Done(bool ok) override {
    // This object may go with its owner, when the handler returns.
    const std::shared_ptr<Owner> owner = std::exchange(owner_, nullptr);
    (owner.get()->*handler_)(ok);
  }

 private:
  const Handler handler_;
  std::shared_ptr<Owner> owner_;
};

}  // namespace holdfast
