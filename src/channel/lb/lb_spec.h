// What a leaf cluster asks its policies to balance, in their words: priorities of localities of
// endpoints with targets to connect to.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "channel/lb/lb_tree.h"
#include "xds/node.h"

namespace holdfast {

struct EndpointSpec {
  std::vector<std::string> targets;  // in the order to try them, families in turn (gRFC A61)
  // As a user's policy sees it.
  std::vector<std::string> addresses;
  std::string hostname;
  uint32_t weight = 1;

  friend bool operator==(const EndpointSpec&, const EndpointSpec&) = default;
};

struct LocalitySpec {
  Locality locality;
  uint32_t weight = 1;
  std::vector<EndpointSpec> endpoints;

  friend bool operator==(const LocalitySpec&, const LocalitySpec&) = default;
};

struct PrioritySpec {
  // For choosing among; one without a name if the policy does not look at localities.
  std::vector<LocalitySpec> localities;
  std::set<Locality> names;  // of all its localities, also of those without endpoints

  friend bool operator==(const PrioritySpec&, const PrioritySpec&) = default;
};
bool HasEndpoints(const PrioritySpec& priority);

// At least one, with at least one locality each. Draining endpoints are left out, and then
// localities without any; a priority without any stays the one it is, so that it is known when it
// gets some that it did not work before.
std::vector<PrioritySpec> PrioritiesOf(const LbLeaf& leaf);

// Families in turn, beginning with that of the first; within a family the order stays. Each target
// once.
std::vector<std::string> InterleaveFamilies(const std::vector<std::string>& targets);

// The policy that chooses among endpoints.
const LbPolicy& EndpointPolicy(const LbPolicy& policy);
bool ChoosesLocality(const LbPolicy& policy);

}  // namespace holdfast
