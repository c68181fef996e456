#include "channel/lb/lb_spec.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace holdfast {
namespace {

EndpointSpec SpecOf(const Endpoint& endpoint) {
  EndpointSpec spec{.hostname = endpoint.hostname, .weight = endpoint.weight};
  std::vector<std::string> targets;
  for (const SocketAddress& address : endpoint.addresses) {
    const bool is_v6 = address.ip.find(':') != std::string::npos;
    spec.addresses.push_back(address.HostAndPort());
    targets.push_back(absl::StrCat(is_v6 ? "ipv6:" : "ipv4:", spec.addresses.back()));
  }
  spec.targets = InterleaveFamilies(targets);
  return spec;
}

LocalitySpec SpecOf(const LocalityEndpoints& locality) {
  LocalitySpec spec{.locality = locality.locality, .weight = locality.weight};
  for (const Endpoint& endpoint : locality.endpoints) {
    if (endpoint.health == HealthStatus::kDraining || endpoint.addresses.empty()) continue;
    spec.endpoints.push_back(SpecOf(endpoint));
  }
  return spec;
}

PrioritySpec SpecOf(const std::vector<LocalityEndpoints>& localities, bool chooses_locality) {
  PrioritySpec spec;
  LocalitySpec all;
  for (const LocalityEndpoints& each : localities) {
    LocalitySpec locality = SpecOf(each);
    spec.names.insert(each.locality);
    if (locality.endpoints.empty()) continue;
    if (chooses_locality) {
      spec.localities.push_back(std::move(locality));
    } else {
      for (EndpointSpec& endpoint : locality.endpoints) {
        all.endpoints.push_back(std::move(endpoint));
      }
    }
  }
  if (spec.localities.empty()) spec.localities.push_back(std::move(all));
  return spec;
}

PrioritySpec SpecOfDns(const std::string& target) {
  EndpointSpec endpoint;
  endpoint.targets = {target};
  endpoint.addresses = {std::string(absl::StripPrefix(target, "dns:///"))};
  LocalitySpec locality;
  locality.endpoints = {std::move(endpoint)};
  PrioritySpec spec;
  spec.localities.push_back(std::move(locality));
  spec.names = {Locality()};
  return spec;
}

absl::string_view FamilyOf(absl::string_view target) { return target.substr(0, target.find(':')); }

}  // namespace

bool HasEndpoints(const PrioritySpec& priority) {
  return std::any_of(priority.localities.begin(), priority.localities.end(),
                     [](const LocalitySpec& locality) { return !locality.endpoints.empty(); });
}

std::vector<PrioritySpec> PrioritiesOf(const LbLeaf& leaf) {
  std::vector<PrioritySpec> priorities;
  if (!leaf.dns_target.empty()) priorities.push_back(SpecOfDns(leaf.dns_target));
  if (leaf.endpoints != nullptr) {
    for (const auto& localities : leaf.endpoints->priorities) {
      priorities.push_back(SpecOf(localities, ChoosesLocality(leaf.policy)));
    }
  }
  if (priorities.empty()) priorities.push_back({.localities = {LocalitySpec()}});
  return priorities;
}

std::vector<std::string> InterleaveFamilies(const std::vector<std::string>& targets) {
  std::set<absl::string_view> seen;
  std::vector<std::vector<absl::string_view>> families;
  std::map<absl::string_view, size_t> family_index;
  for (const std::string& target : targets) {
    if (!seen.insert(target).second) continue;
    const auto [family, is_new] = family_index.emplace(FamilyOf(target), families.size());
    if (is_new) families.emplace_back();
    families[family->second].push_back(target);
  }
  std::vector<std::string> in_turn;
  in_turn.reserve(seen.size());
  for (size_t round = 0; in_turn.size() < seen.size(); ++round) {
    for (const auto& family : families) {
      if (round < family.size()) in_turn.emplace_back(family[round]);
    }
  }
  return in_turn;
}

const LbPolicy& EndpointPolicy(const LbPolicy& policy) {
  const auto* by_locality = std::get_if<WrrLocalityLb>(&policy.policy);
  return by_locality == nullptr ? policy : EndpointPolicy(*by_locality->child);
}

bool ChoosesLocality(const LbPolicy& policy) {
  return std::holds_alternative<WrrLocalityLb>(policy.policy);
}

}  // namespace holdfast
