// ClusterLoadAssignment → Endpoints (R12.80–R12.92).
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/config/endpoint/v3/endpoint.pb.h"
#include "envoy/type/v3/type.pb.h"
#include "resources/decode/decode.h"
#include "resources/decode/health_status.h"
#include "resources/decode/parts.h"

namespace holdfast {
namespace {

namespace core_pb = envoy::config::core::v3;
namespace endpoint_pb = envoy::config::endpoint::v3;
using Field = ValidationErrors::Field;

constexpr uint64_t kMostWeight = std::numeric_limits<uint32_t>::max();
constexpr char kProxyAddressKey[] = "envoy.http11_proxy_transport_socket.proxy_address";

// Where an address stands in the resource.
struct Place {
  size_t locality = 0;
  size_t endpoint = 0;
  size_t address = 0;  // 0: the endpoint's own; n: its additional_addresses[n - 1]
};

std::string AddressPath(size_t address) {
  return address == 0 ? ".address"
                      : absl::StrCat(".additional_addresses[", address - 1, "].address");
}

std::string PathOf(const Place& place) {
  return absl::StrCat("endpoints[", place.locality, "].lb_endpoints[", place.endpoint, "].endpoint",
                      AddressPath(place.address));
}

// {region "a", zone "b"}
std::string TextOf(const Locality& locality) {
  std::string text = "{";
  const auto append = [&text](absl::string_view name, const std::string& value) {
    if (value.empty()) return;
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", name, " ", Quoted(value));
  };
  append("region", locality.region);
  append("zone", locality.zone);
  append("sub_zone", locality.sub_zone);
  return text + "}";
}

std::optional<ProxyAddress> ProxyIn(const Metadata& metadata) {
  const auto found = metadata.find(kProxyAddressKey);
  if (found == metadata.end()) return std::nullopt;
  const auto* proxy = std::get_if<ProxyAddress>(&found->second);
  return proxy == nullptr ? std::nullopt : std::optional<ProxyAddress>(*proxy);
}

std::string HashKeyIn(const Metadata& metadata) {
  const auto found = metadata.find("envoy.lb");
  if (found == metadata.end()) return "";
  const auto* json = std::get_if<JsonValue>(&found->second);
  if (json == nullptr || json->if_object() == nullptr) return "";
  const auto key = json->if_object()->find("hash_key");
  if (key == json->if_object()->end() || key->second.if_string() == nullptr) return "";
  return *key->second.if_string();
}

// Reads one resource; keeps what its parts must not share.
class Reader {
 public:
  explicit Reader(ValidationErrors& errors) : errors_(errors) {}

  Endpoints Read(const endpoint_pb::ClusterLoadAssignment& message) {
    Endpoints endpoints;
    endpoints.cluster_name = message.cluster_name();
    for (int i = 0; i < message.endpoints_size(); ++i) {
      const auto index = static_cast<size_t>(i);
      const Field field(errors_, ".endpoints", index);
      ReadLocality(message.endpoints(i), index);
    }
    CheckPriorities(message);
    if (errors_.ok()) endpoints.priorities = TakePriorities();
    endpoints.drops = ReadDrops(message.policy());
    return endpoints;
  }

 private:
  struct Priority {
    struct Entry {
      size_t index = 0;  // in the message
      LocalityEndpoints value;
    };
    std::map<Locality, Entry> localities;
    uint64_t weight = 0;  // the sum
  };

  void ReadLocality(const endpoint_pb::LocalityLbEndpoints& message, size_t index) {
    // Not even looked at: a locality without weight is how a control plane says "not this one".
    if (message.load_balancing_weight().value() == 0) return;
    Priority& priority = priorities_[message.priority()];
    LocalityEndpoints value;
    value.weight = message.load_balancing_weight().value();
    value.endpoints = ReadEndpoints(message, index);
    if (!message.has_locality()) {
      const Field field(errors_, ".locality");
      errors_.Add("must be set, it may be empty");
      return;
    }
    const core_pb::Locality& name = message.locality();
    value.locality = {name.region(), name.zone(), name.sub_zone()};
    const auto found = priority.localities.find(value.locality);
    if (found != priority.localities.end()) {
      errors_.Add(absl::StrCat("locality ", TextOf(value.locality), " appears twice in priority ",
                               message.priority(), " (first at endpoints[", found->second.index,
                               "])"));
      return;
    }
    priority.weight += value.weight;
    Locality key = value.locality;
    priority.localities.emplace(std::move(key), Priority::Entry{index, std::move(value)});
  }

  std::vector<Endpoint> ReadEndpoints(const endpoint_pb::LocalityLbEndpoints& message,
                                      size_t locality) {
    if (message.has_leds_cluster_locality_config()) {
      const Field field(errors_, ".leds_cluster_locality_config");
      errors_.Add("is not supported by this build yet; list the endpoints in lb_endpoints");
      return {};
    }
    // load_balancer_endpoints was to replace lb_endpoints and never did: ignored as unknown.
    const std::optional<ProxyAddress> proxy = ProxyIn(ReadMetadata(message));
    std::vector<Endpoint> endpoints;
    for (int i = 0; i < message.lb_endpoints_size(); ++i) {
      const auto index = static_cast<size_t>(i);
      const Field field(errors_, ".lb_endpoints", index);
      std::optional<Endpoint> endpoint =
          ReadEndpoint(message.lb_endpoints(i), {locality, index, 0});
      if (!endpoint.has_value()) continue;
      if (!endpoint->proxy.has_value()) endpoint->proxy = proxy;
      endpoints.push_back(*std::move(endpoint));
    }
    return endpoints;
  }

  // nullopt for an endpoint that gets no calls, or after an error.
  std::optional<Endpoint> ReadEndpoint(const endpoint_pb::LbEndpoint& message, Place place) {
    const std::optional<HealthStatus> health = KeptHealthStatus(message.health_status());
    if (!health.has_value()) return std::nullopt;
    Endpoint endpoint;
    endpoint.health = *health;
    if (message.has_load_balancing_weight()) {
      endpoint.weight = message.load_balancing_weight().value();
      const Field field(errors_, ".load_balancing_weight");
      if (endpoint.weight == 0) {
        errors_.Add("must not be 0; leave it unset for the default of 1");
      }
    }
    const Metadata metadata = ReadMetadata(message);
    endpoint.hash_key = HashKeyIn(metadata);
    endpoint.proxy = ProxyIn(metadata);

    const Field field(errors_, ".endpoint");
    if (!message.has_endpoint()) {
      errors_.Add(message.has_endpoint_name()
                      ? absl::StrCat("must be set (got endpoint_name ",
                                     Quoted(message.endpoint_name()), ", which is not supported)")
                      : "must be set");
      return std::nullopt;
    }
    endpoint.hostname = message.endpoint().hostname();
    ReadAddress(message.endpoint().address(), place, endpoint);
    for (const auto& additional : message.endpoint().additional_addresses()) {
      ++place.address;
      ReadAddress(additional.address(), place, endpoint);
    }
    return endpoint;
  }

  void ReadAddress(const core_pb::Address& message, const Place& place, Endpoint& endpoint) {
    const Field field(errors_, AddressPath(place.address));
    std::optional<SocketAddress> address = DecodeAddress(message, errors_);
    if (!address.has_value()) return;
    const auto [found, is_new] = addresses_.emplace(*address, place);
    if (!is_new) {
      errors_.Add(absl::StrCat("is the same address as ", PathOf(found->second), " (",
                               address->HostAndPort(), ")"));
    }
    endpoint.addresses.push_back(*std::move(address));
  }

  template <class Message>
  Metadata ReadMetadata(const Message& message) {
    if (!message.has_metadata()) return {};
    const Field field(errors_, ".metadata");
    return DecodeMetadata(message.metadata(), errors_);
  }

  // Priorities come as numbers up to 2^32 - 1: walk over those that are there, never count up.
  void CheckPriorities(const endpoint_pb::ClusterLoadAssignment& message) {
    const Field field(errors_, ".endpoints");
    uint32_t expected = 0;
    bool has_gap = false;
    for (const auto& [number, priority] : priorities_) {
      if (number != expected && !has_gap) {
        has_gap = true;
        AddGap(message, expected, number);
      }
      ++expected;
      if (priority.weight > kMostWeight) {
        errors_.Add(absl::StrCat("weights of priority ", number, " add up to ", priority.weight,
                                 ", the most is ", kMostWeight));
      }
    }
  }

  void AddGap(const endpoint_pb::ClusterLoadAssignment& message, uint32_t missing, uint32_t next) {
    const bool is_skipped =
        std::any_of(message.endpoints().begin(), message.endpoints().end(),
                    [missing](const auto& locality) { return locality.priority() == missing; });
    errors_.Add(absl::StrCat(
        "priority ", missing,
        is_skipped ? " has no localities with a load_balancing_weight" : " has no localities",
        " although priority ", next, " has"));
  }

  std::vector<std::vector<LocalityEndpoints>> TakePriorities() {
    std::vector<std::vector<LocalityEndpoints>> taken;
    for (auto& [number, priority] : priorities_) {
      std::vector<LocalityEndpoints>& localities = taken.emplace_back();
      for (auto& [name, entry] : priority.localities) {
        localities.push_back(std::move(entry.value));
      }
    }
    return taken;
  }

  std::vector<DropCategory> ReadDrops(const endpoint_pb::ClusterLoadAssignment::Policy& policy) {
    std::vector<DropCategory> drops;
    const Field field(errors_, ".policy");
    for (int i = 0; i < policy.drop_overloads_size(); ++i) {
      const auto& message = policy.drop_overloads(i);
      const Field index(errors_, ".drop_overloads", static_cast<size_t>(i));
      if (message.category().empty()) {
        const Field category(errors_, ".category");
        errors_.Add("must not be empty");
      }
      const Field percentage(errors_, ".drop_percentage");
      if (!message.has_drop_percentage()) {
        errors_.Add("must be set");
        continue;
      }
      drops.push_back({message.category(), DecodeFraction(message.drop_percentage(), errors_)});
    }
    return drops;
  }

  ValidationErrors& errors_;
  std::map<SocketAddress, Place> addresses_;
  std::map<uint32_t, Priority> priorities_;
};

}  // namespace

Decoded<Endpoints> DecodeEndpoints(absl::string_view bytes, const DecodeContext& context) {
  Decoded<Endpoints> decoded;
  decoded.errors.KeepBeforeOthers(context.matters);
  endpoint_pb::ClusterLoadAssignment message;
  if (!ParseMessage(bytes, message, decoded.errors)) return decoded;
  decoded.resource = Reader(decoded.errors).Read(message);
  return decoded;
}

}  // namespace holdfast
