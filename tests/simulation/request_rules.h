// What every request must say (R1.05, R1.12, R1.30 to R1.35, R1.51), and that none is forgotten.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/protocol/effects.h"
#include "tests/simulation/expected_cache.h"
#include "tests/simulation/fake_world.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/watchers.h"
#include "xds/node.h"

namespace holdfast {

class RequestRules {
 public:
  RequestRules(const Node& node, const Watchers& watchers, Findings& findings);

  // Whatever was asked for has to be asked for again.
  void StreamEnded();
  // A resource of this type is watched no more: with it the version may be forgotten, so that no
  // server leaves it out later.
  void MayForgetVersion(int type) { types_[At(type)].may_forget_version = true; }
  // REQUIRES: WasAsked(type).
  void ResponseCame(int type, const DiscoveryResponse& response, Answer answer);
  void Check(const SendRequest& order);
  void RequestLeft() { names_sent_[At(in_flight_type_)] = types_[At(in_flight_type_)].names; }

  // Whether a request of the type was ordered on the living stream.
  bool WasAsked(int type) const { return type >= 0 && types_[At(type)].was_asked; }
  // Named in the last request of the living stream, ordered or also reported as sent.
  bool IsOrdered(ResourceKey key) const { return types_[At(key.type)].names[At(key.name)]; }
  bool IsSent(ResourceKey key) const { return names_sent_[At(key.type)][At(key.name)]; }
  const NameSet& names_ordered(int type) const { return types_[At(type)].names; }
  int in_flight_type() const { return in_flight_type_; }

  // Whether a change of subscription, or an answer, has still to be sent.
  bool IsChangeDue() const;
  bool IsAnswerDue() const;

 private:
  struct Type {
    bool was_asked = false;
    NameSet names;
    absl::string_view nonce;  // the newest; empty: none yet
    Answer answer = Answer::kNone;
    bool is_answered = true;
    // Versions that may be the last accepted one: where the specs leave an answer open, several.
    std::vector<std::string> versions = {""};
    bool may_forget_version = false;
  };

  static size_t At(int index) { return static_cast<size_t>(index); }
  void CheckNames(int type, const DiscoveryRequest& request);
  void CheckAnswer(Type& state, const DiscoveryRequest& request);
  void CheckVersion(Type& state, const DiscoveryRequest& request);

  const Node& node_;
  const Watchers& watchers_;
  Findings& findings_;
  bool is_node_sent_ = false;
  std::array<Type, kTypes> types_;
  std::array<NameSet, kTypes> names_sent_;
  int in_flight_type_ = 0;
};

}  // namespace holdfast
