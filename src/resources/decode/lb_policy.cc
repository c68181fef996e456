#include "resources/decode/lb_policy.h"

#include <google/protobuf/wrappers.pb.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "envoy/config/cluster/v3/cluster.pb.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/extensions/load_balancing_policies/least_request/v3/least_request.pb.h"
#include "envoy/extensions/load_balancing_policies/pick_first/v3/pick_first.pb.h"
#include "envoy/extensions/load_balancing_policies/ring_hash/v3/ring_hash.pb.h"
#include "envoy/extensions/load_balancing_policies/round_robin/v3/round_robin.pb.h"
#include "envoy/extensions/load_balancing_policies/wrr_locality/v3/wrr_locality.pb.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace cluster_pb = envoy::config::cluster::v3;
namespace lb_pb = envoy::extensions::load_balancing_policies;
using Field = ValidationErrors::Field;

constexpr int kMostNesting = 16;
constexpr int kMostTypesQuoted = 5;
constexpr uint64_t kMostRingSize = 8388608;
constexpr uint32_t kLeastChoices = 2;
constexpr uint32_t kMostChoices = 10;

LbPolicy InEachLocality(LbPolicy child) {
  return {WrrLocalityLb{std::make_shared<const LbPolicy>(std::move(child))}};
}

// The sizes of RingHash and RingHashLbConfig, which spell them alike.
template <class Message>
RingHashLb DecodeRingSizes(const Message& message, ValidationErrors& errors) {
  RingHashLb ring;
  const size_t errors_before = errors.count();
  const auto read = [&errors](const google::protobuf::UInt64Value& size, uint64_t& into) {
    into = size.value();
    if (into >= 1 && into <= kMostRingSize) return;
    errors.Add(absl::StrCat("is ", into, ", must be from 1 to ", kMostRingSize));
  };
  if (message.has_minimum_ring_size()) {
    const Field field(errors, ".minimum_ring_size");
    read(message.minimum_ring_size(), ring.min_ring_size);
  }
  if (message.has_maximum_ring_size()) {
    const Field field(errors, ".maximum_ring_size");
    read(message.maximum_ring_size(), ring.max_ring_size);
  }
  if (errors.count() == errors_before && ring.min_ring_size > ring.max_ring_size) {
    const Field field(errors, ".maximum_ring_size");
    errors.Add(absl::StrCat("is ", ring.max_ring_size, ", less than minimum_ring_size, which is ",
                            ring.min_ring_size,
                            message.has_minimum_ring_size() ? "" : " if not set"));
  }
  return ring;
}

// The choice count of LeastRequest and LeastRequestLbConfig.
template <class Message>
LeastRequestLb DecodeChoiceCount(const Message& message, ValidationErrors& errors) {
  LeastRequestLb least_request;
  if (!message.has_choice_count()) return least_request;
  const uint32_t count = message.choice_count().value();
  if (count < kLeastChoices) {
    const Field field(errors, ".choice_count");
    errors.Add(absl::StrCat("is ", count, ", must be at least ", kLeastChoices));
  }
  least_request.choice_count = std::min(count, kMostChoices);
  return least_request;
}

// One list of policies, and through WrrLocality the lists inside.
class PolicyList {
 public:
  PolicyList(const DecodeContext& context, ValidationErrors& errors)
      : context_(context), errors_(errors) {}

  LbPolicy Decode(const cluster_pb::LoadBalancingPolicy& list, int level) {
    if (level > kMostNesting) {
      errors_.Add(absl::StrCat("is nested more than ", kMostNesting, " levels deep"));
      return {};
    }
    std::string unknown_types;
    for (int i = 0; i < list.policies_size(); ++i) {
      const Field field(errors_, ".policies", static_cast<size_t>(i));
      const Field config(errors_, ".typed_extension_config");
      const auto& extension_config = list.policies(i).typed_extension_config();
      if (!list.policies(i).has_typed_extension_config()) {
        errors_.Add("must be set");
        return {};
      }
      const Field any(errors_, ".typed_config");
      const Extension extension = DecodeExtension(extension_config.typed_config(), errors_);
      if (extension.type.empty()) return {};
      // What we know must be right; only what we do not know is passed over.
      if (std::optional<LbPolicy> policy = Convert(extension, level)) return *std::move(policy);
      if (i < kMostTypesQuoted) {
        absl::StrAppend(&unknown_types, i > 0 ? ", " : "", Quoted(extension.type));
      }
    }
    const Field field(errors_, ".policies");
    if (list.policies().empty()) {
      errors_.Add("must list at least one policy");
    } else {
      const int unquoted = list.policies_size() - kMostTypesQuoted;
      errors_.Add(absl::StrCat("holds no policy that is supported here (got ", unknown_types,
                               unquoted > 0 ? absl::StrCat(" and ", unquoted, " more") : "", ")"));
    }
    return {};
  }

 private:
  // nullopt for a policy we do not have.
  std::optional<LbPolicy> Convert(const Extension& extension, int level) {
    if (extension.is_struct) {
      if (!context_.custom_lb_policies.contains(extension.type)) return std::nullopt;
      return LbPolicy{CustomLb{extension.type, extension.json}};
    }
    constexpr absl::string_view kPrefix = "envoy.extensions.load_balancing_policies.";
    absl::string_view type = extension.type;
    if (!absl::ConsumePrefix(&type, kPrefix)) return std::nullopt;
    if (type == "round_robin.v3.RoundRobin") {
      Parse<lb_pb::round_robin::v3::RoundRobin>(extension);
      return LbPolicy{RoundRobinLb{}};
    }
    if (type == "pick_first.v3.PickFirst") {
      const auto message = Parse<lb_pb::pick_first::v3::PickFirst>(extension);
      return LbPolicy{PickFirstLb{message.shuffle_address_list()}};
    }
    if (type == "ring_hash.v3.RingHash") return RingHash(extension);
    if (type == "least_request.v3.LeastRequest") {
      const auto message = Parse<lb_pb::least_request::v3::LeastRequest>(extension);
      return LbPolicy{DecodeChoiceCount(message, errors_)};
    }
    if (type == "wrr_locality.v3.WrrLocality") return WrrLocality(extension, level);
    return std::nullopt;
  }

  LbPolicy RingHash(const Extension& extension) {
    using lb_pb::ring_hash::v3::RingHash;
    const auto message = Parse<RingHash>(extension);
    if (message.hash_function() != RingHash::DEFAULT_HASH &&
        message.hash_function() != RingHash::XX_HASH) {
      const Field field(errors_, ".hash_function");
      errors_.Add(absl::StrCat(
          "must be DEFAULT_HASH or XX_HASH (got ",
          EnumText(RingHash::HashFunction_Name(message.hash_function()), message.hash_function()),
          ")"));
    }
    return {DecodeRingSizes(message, errors_)};
  }

  LbPolicy WrrLocality(const Extension& extension, int level) {
    lb_pb::wrr_locality::v3::WrrLocality message;
    if (!ParseExtension(extension, message, errors_)) return {};
    const Field field(errors_, ".endpoint_picking_policy");
    return InEachLocality(Decode(message.endpoint_picking_policy(), level + 1));
  }

  // The defaults after an error.
  template <class Message>
  Message Parse(const Extension& extension) {
    Message message;
    if (!ParseExtension(extension, message, errors_)) message.Clear();
    return message;
  }

  const DecodeContext& context_;
  ValidationErrors& errors_;
};

LbPolicy DecodeLegacyRingHash(const cluster_pb::Cluster::RingHashLbConfig& message,
                              ValidationErrors& errors) {
  using Config = cluster_pb::Cluster::RingHashLbConfig;
  const Field field(errors, ".ring_hash_lb_config");
  if (message.hash_function() != Config::XX_HASH) {
    const Field function(errors, ".hash_function");
    errors.Add(absl::StrCat(
        "must be XX_HASH (got ",
        EnumText(Config::HashFunction_Name(message.hash_function()), message.hash_function()),
        ")"));
  }
  return {DecodeRingSizes(message, errors)};
}

LbPolicy DecodeLegacyLeastRequest(const cluster_pb::Cluster::LeastRequestLbConfig& message,
                                  ValidationErrors& errors) {
  const Field field(errors, ".least_request_lb_config");
  return InEachLocality({DecodeChoiceCount(message, errors)});
}

}  // namespace

LbPolicy DecodeLbPolicy(const cluster_pb::Cluster& cluster, const DecodeContext& context,
                        ValidationErrors& errors) {
  if (cluster.has_load_balancing_policy()) {
    const Field field(errors, ".load_balancing_policy");
    return PolicyList(context, errors).Decode(cluster.load_balancing_policy(), 1);
  }
  if (cluster.lb_policy() == cluster_pb::Cluster::ROUND_ROBIN) {
    return InEachLocality({RoundRobinLb{}});
  }
  if (cluster.lb_policy() == cluster_pb::Cluster::LEAST_REQUEST) {
    return DecodeLegacyLeastRequest(cluster.least_request_lb_config(), errors);
  }
  if (cluster.lb_policy() == cluster_pb::Cluster::RING_HASH) {
    return DecodeLegacyRingHash(cluster.ring_hash_lb_config(), errors);
  }
  const Field field(errors, ".lb_policy");
  if (cluster.lb_policy() == cluster_pb::Cluster::LOAD_BALANCING_POLICY_CONFIG) {
    errors.Add("is LOAD_BALANCING_POLICY_CONFIG, but load_balancing_policy is not set");
    return {};
  }
  errors.Add(absl::StrCat(
      "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got ",
      EnumText(cluster_pb::Cluster::LbPolicy_Name(cluster.lb_policy()), cluster.lb_policy()), ")"));
  return {};
}

}  // namespace holdfast
