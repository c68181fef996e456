// What a request changes in a subscription (R1.50 to R1.56). SotW requests bring the whole list,
// delta requests what is new and what is over; after that they are the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/session/type_state.h"
#include "xds/discovery.h"

namespace holdfast {

// Names of a request in their canonical form, in which two that are equal are one (R1.91), and
// how those were written that have another. None: all of them have it already.
struct CanonicalNames {
  std::vector<std::string> names;
  Spellings spellings;
};
std::optional<CanonicalNames> Canonical(const std::vector<std::string>& names,
                                        const std::string& type);

struct SubscriptionChange {
  std::vector<std::string> asked;  // to be answered, whether they are new or asked for again
  std::vector<std::string> followed;
  std::vector<std::string> unfollowed;  // "*" stands for everything, here and above
};

// Names that cannot be asked for are left out: the empty one, and "*" where it means nothing.
SubscriptionChange ApplySotwNames(const NameList& names, TypeState& type);
// Of a request that a newer one is about to overtake: only what it no longer names. The client may
// have dropped that, and ask for it again in the newer one.
SubscriptionChange ApplyStaleSotwNames(const NameList& names, TypeState& type);

// `is_first`: the first request of this type on the stream, in which naming nothing at all asks for
// everything.
SubscriptionChange ApplyDeltaNames(const DeltaDiscoveryRequest& request, bool is_first,
                                   TypeState& type);

// After the names of a request were applied: how the client wrote them counts from now on.
void ApplySpellings(const Spellings& spellings, const SubscriptionChange& change, TypeState& type);

}  // namespace holdfast
