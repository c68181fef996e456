// A load balancing policy a cluster asks for, in the form of gRFC A52, whichever of the two ways
// (lb_policy, load_balancing_policy) the cluster said it in.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "base/json_value.h"

namespace holdfast {

struct LbPolicy;

struct RoundRobinLb {
  friend bool operator==(const RoundRobinLb&, const RoundRobinLb&) = default;
};
struct PickFirstLb {
  bool shuffle_address_list = false;
  friend bool operator==(const PickFirstLb&, const PickFirstLb&) = default;
};
struct RingHashLb {
  uint64_t min_ring_size = 1024;
  uint64_t max_ring_size = 8388608;
  friend bool operator==(const RingHashLb&, const RingHashLb&) = default;
};
struct LeastRequestLb {
  uint32_t choice_count = 2;
  friend bool operator==(const LeastRequestLb&, const LeastRequestLb&) = default;
};
// Picks a locality by weight, then lets `child` pick in it.
struct WrrLocalityLb {
  std::shared_ptr<const LbPolicy> child;  // never null after decoding
  friend bool operator==(const WrrLocalityLb& a, const WrrLocalityLb& b);
};
// A policy registered by the user's own code, with its configuration.
struct CustomLb {
  std::string name;
  JsonValue::Object config;
  friend bool operator==(const CustomLb&, const CustomLb&) = default;
};

struct LbPolicy {
  std::variant<RoundRobinLb, PickFirstLb, RingHashLb, LeastRequestLb, WrrLocalityLb, CustomLb>
      policy;
  friend bool operator==(const LbPolicy&, const LbPolicy&) = default;
};

inline bool operator==(const WrrLocalityLb& a, const WrrLocalityLb& b) {
  return a.child == b.child || (a.child != nullptr && b.child != nullptr && *a.child == *b.child);
}

}  // namespace holdfast
