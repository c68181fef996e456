#include "tests/simulation/request_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {

RequestRules::RequestRules(const Node& node, const Watchers& watchers, Findings& findings)
    : node_(node), watchers_(watchers), findings_(findings) {}

void RequestRules::StreamEnded() {
  is_node_sent_ = false;
  for (Type& type : types_) {
    type.was_asked = false;
    type.names.reset();
    type.nonce = {};
    type.is_answered = true;
  }
  names_sent_.fill(NameSet());
}

void RequestRules::ResponseCame(int type, const DiscoveryResponse& response, Answer answer) {
  Type& state = types_[At(type)];
  HOLDFAST_CHECK(state.was_asked);
  state.nonce = response.nonce;
  state.answer = answer;
  state.is_answered = false;
  if (answer == Answer::kNack) return;
  if (answer == Answer::kAck) {
    state.versions.clear();
    // What is watched no more, or was not for a moment, may yet be dropped with its version.
    const NameSet kept = state.names & watchers_.watched(type);
    state.may_forget_version = kept.none() || ((state.names | names_sent_[At(type)]) & ~kept).any();
  }
  state.versions.push_back(std::string(response.version_info));
}

void RequestRules::Check(const SendRequest& order) {
  const DiscoveryRequest& request = order.request;
  const int type = IndexOfTypeUrl(request.type_url);
  if (type < 0) {
    findings_.Add(absl::StrCat("a request of type ", request.type_url, ", which nobody watches"));
    return;
  }
  if (request.node.has_value() == is_node_sent_) {
    findings_.Add(is_node_sent_ ? "the node is in a request that is not the first of its stream"
                                : "the node is not in the first request of the stream");
  }
  if (request.node.has_value() && *request.node != node_) findings_.Add("the node is another");
  is_node_sent_ = true;
  CheckNames(type, request);
  CheckAnswer(types_[At(type)], request);
  CheckVersion(types_[At(type)], request);
  types_[At(type)].was_asked = true;
  in_flight_type_ = type;
}

void RequestRules::CheckNames(int type, const DiscoveryRequest& request) {
  Type& state = types_[At(type)];
  NameSet names;
  for (const std::string& name : request.resource_names) {
    const int index = IndexOfName(name);
    if (index < 0 || names[At(index)]) {
      findings_.Add(absl::StrCat("a request names \"", name, "\", which is wrong or a repetition"));
      return;
    }
    names.set(At(index));
  }
  if (names != watchers_.watched(type)) {
    findings_.Add(absl::StrCat("a request of type ", request.type_url,
                               " names something else than what is watched"));
  }
  if (names.none() && !state.was_asked) {
    findings_.Add(absl::StrCat("the first request of type ", request.type_url,
                               " has no names, which means all of them"));
  }
  if (state.was_asked && names == state.names && state.is_answered) {
    findings_.Add(absl::StrCat("a request of type ", request.type_url, " says nothing new"));
  }
  state.names = names;
}

void RequestRules::CheckAnswer(Type& state, const DiscoveryRequest& request) {
  if (request.response_nonce != state.nonce) {
    findings_.Add(absl::StrCat("a request has the nonce \"", request.response_nonce,
                               "\", the newest of its stream and type is \"", state.nonce, "\""));
  }
  const bool is_nack = request.error_detail.has_value();
  if (state.is_answered) {
    if (is_nack) findings_.Add("a NACK of what was answered before, or of nothing");
    return;
  }
  state.is_answered = true;
  if (is_nack && state.answer == Answer::kAck) findings_.Add("a NACK of what is all right");
  if (!is_nack && state.answer == Answer::kNack) findings_.Add("an ACK of what is not all right");
  if (is_nack && (request.error_detail->code != 3 || request.error_detail->message.empty())) {
    findings_.Add("a NACK without INVALID_ARGUMENT or without a reason");
  }
}

void RequestRules::CheckVersion(Type& state, const DiscoveryRequest& request) {
  const bool is_known = std::find(state.versions.begin(), state.versions.end(),
                                  request.version_info) != state.versions.end();
  if (!is_known && !(state.may_forget_version && request.version_info.empty())) {
    findings_.Add(absl::StrCat("a request has the version \"", request.version_info,
                               "\", the last accepted one is \"", state.versions.back(), "\""));
  }
  state.versions = {request.version_info};
  if (state.names.none()) state.may_forget_version = true;
}

bool RequestRules::IsChangeDue() const {
  for (int type = 0; type < kTypes; ++type) {
    if (types_[At(type)].names != watchers_.watched(type)) return true;
  }
  return false;
}

bool RequestRules::IsAnswerDue() const {
  return std::any_of(types_.begin(), types_.end(),
                     [](const Type& type) { return !type.is_answered; });
}

}  // namespace holdfast
