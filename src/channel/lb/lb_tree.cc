#include "channel/lb/lb_tree.h"

#include <utility>

#include "channel/lb/lb_orders.h"
#include "channel/lb/priority_list.h"

namespace holdfast {

class LbTree::State {
 public:
  explicit State(LbTreeOptions options) : orders_(std::move(options)) {}

  LbEffects Handle(const LbEvent& event) {
    std::visit([&](const auto& its_kind) { On(its_kind); }, event);
    if (is_configured_) Publish(priorities_.Refresh(orders_));
    return orders_.TakeEffects();
  }

 private:
  void On(const LbConfigChanged& event) {
    is_configured_ = true;
    priorities_.Update(event.leaves, orders_);
  }
  void On(const SubchannelStateChanged& event) { orders_.Deliver(event); }
  void On(const LbTimerFired& event) { orders_.Deliver(event); }
  void On(const ConnectionWanted&) { priorities_.Connect(orders_); }

  // Each part keeps its picker while that would do the same, so the same picker means no news; and
  // where nothing works, another part often has the same to say.
  void Publish(const Balance& balance) {
    if (balance == published_) return;
    const bool says_the_same = balance.state != Connectivity::kReady &&
                               published_.picker != nullptr && balance.state == published_.state &&
                               balance.picker->FailsLike(*published_.picker);
    if (says_the_same) return;
    published_ = balance;
    orders_.Publish({balance.state, balance.picker});
  }

  LbOrders orders_;
  PriorityList priorities_;
  bool is_configured_ = false;
  Balance published_;
};

LbTree::LbTree(LbTreeOptions options) : state_(std::make_unique<State>(std::move(options))) {}
LbTree::~LbTree() = default;

LbEffects LbTree::Handle(absl::Time, const LbEvent& event) { return state_->Handle(event); }

}  // namespace holdfast
