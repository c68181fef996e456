// What a client is to be told next about one type: the difference between what it asked for, what
// it has, and what is served now.
//
// A plan changes the state as if the response had reached the client: on a stream nothing is lost
// but the stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/session/session_types.h"
#include "control/session/type_state.h"

namespace holdfast {

// What a plan may take for granted.
struct PlanInput {
  const SessionOptions& options;
  const View& view;
  absl::Time now;
  bool with_ttl = false;
  // Types that come later in the order of a commit still have something to say: what they may
  // refer to must not be taken away before (R1.45).
  bool keep_removed = false;
};

struct Plan {
  // Without nonce. None: there is nothing to say.
  std::optional<SendResponse> response;
  // Resources in it that are new to the client, or another version than it had.
  ResourceList news;  // null: none
  // What the client had of everything before; null: the ledger was told name by name.
  TypeViewPtr had;
  bool is_as_taken = false;  // as in Unanswered
};

// Whether all there is to say to this client is the step that led to `now`. If not, whatever
// differs from what it has is among the names to check.
bool IsOneStepBehind(const PlanInput& given, const TypeView& now, TypeState& type);

// Null for none. What the newest commit changed in `now` and nothing else is not made again.
ResourceList ListOf(const TypeViewPtr& now, std::vector<ResourcePtr> resources);

// SotW of listeners and clusters: all that the client asked for, whenever any of it changed.
Plan PlanFullState(const PlanInput& given, TypeState& type);
// SotW of all other types: what changed.
Plan PlanChanges(const PlanInput& given, TypeState& type);
// Delta of any type: what changed, and what is gone.
Plan PlanDelta(const PlanInput& given, TypeState& type);

// What is to be said about a name that is not served, if anything is yet: what the configuration
// says; else, if the source is synced, NOT_FOUND, or UNAVAILABLE if it may be in a part that could
// never be read; else, after the hold, UNAVAILABLE (R2.41). Notes in `type` that a name waits for
// the hold.
std::optional<NameError> ErrorOf(const PlanInput& given, const std::string& name, TypeState& type);

// What is said about such a name while it is so; the same, without a look at the hold.
NameError ErrorNow(const View& view, const std::string& type, const std::string& name);

// What the client of a full-state type was told of the names that it still asks for.
ContentHash WhatWasSaid(const TypeState& type);

// Which error it is, so that it is said once (R2.32); never 0.
uint64_t KeyOf(const NameError& error);

// Clients reject an error whose name they cannot parse, so they are not sent one. `name` as the
// client wrote it.
bool CanBeNamedInAnError(const std::string& name, const std::string& type);

}  // namespace holdfast
