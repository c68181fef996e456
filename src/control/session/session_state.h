// The inside of a session: its types, the order in which they speak, and the merge window.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "control/session/response_planner.h"
#include "control/session/session.h"
#include "control/session/session_report.h"
#include "control/session/subscription.h"
#include "control/session/type_state.h"

namespace holdfast {

class Session::State {
 public:
  State(Variant variant, const SessionOptions& options, ViewPtr view, std::string peer);

  SessionEffects Handle(absl::Time now, const SessionEvent& event);
  void Renew(ViewPtr view) { view_ = std::move(view); }
  const ClientNode& node() const { return node_; }
  SessionReport Report(const ReportOptions& options) const;
  HeldBack held_back() const;

 private:
  // Types speak in the order of a commit: what is referred to comes before what refers to it.
  struct TypeOrder {
    bool operator()(const std::string& a, const std::string& b) const;
  };

  void On(const RequestReceived& event);
  void On(const DeltaRequestReceived& event);
  void On(const ViewChanged& event);
  void On(const WriteDone& event);
  void On(const TimeReached& event);
  void On(const ClientLeft& event);

  // Null if the stream has ended instead.
  TypeState* Greet(const std::optional<Node>& node, const std::string& type_url);
  void Answered(TypeState& type, const std::string& nonce, const std::optional<WireStatus>& error);
  // What the answer to one response says of it and of those before it (session_ledger.cc).
  void NoteAnswer(TypeState& type, std::vector<Unanswered>::iterator answered,
                  const std::optional<WireStatus>& error);
  void NoteSent(TypeState& type, const SendResponse& response, const Offer& offer);
  void NoteUnfollowed(TypeState& type, const std::vector<std::string>& unfollowed) const;
  void NoteEvent(ClientEvent::Kind kind, const TypeState& type, const Happened& happened,
                 const std::string& version, absl::string_view message = "");
  void LogRejection(const TypeState& type, const Unanswered& response, const WireStatus& error);
  void Carry(const SubscriptionChange& change, TypeState& type);
  void AdoptInitialVersions(const DeltaDiscoveryRequest& request, TypeState& type);
  void CheckAllNames(TypeState& type);
  static void CheckAbsentNames(TypeState& type);
  // If not, ends the stream; what the session follows no more is said before.
  bool IsWithinLimits(const SubscriptionChange& change, TypeState& type);
  void DropPassingNames(TypeState& type) const;

  // Sends what is to be sent, if the stream is free and the window open.
  void Pump();
  void OpenWindow();
  // Make before break (session_gate.cc).
  void OpenGate();
  bool MustWait(const TypeState& type) const;
  bool MustNotTakeAway(const TypeState& type) const;
  bool IsSettled(absl::string_view type) const;
  bool AwaitsEndpoints() const;
  bool OnlyWithdraws(const TypeState& type) const;
  void NoteClustersTaken(const TypeState& type, const Offer& offer);
  Plan MakePlan(TypeState& type);
  bool SpeakOnce();
  void Send(TypeState& type, Plan plan);
  void ResendChildren(const ResourceList& parents);
  void NoteTtl(TypeState& type, const SendResponse& response);
  void CountErrors();
  void SetAlarm();
  void End(absl::Status status);

  const Variant variant_;
  const SessionOptions options_;
  const std::string peer_;
  ViewPtr view_;
  bool was_synced_;
  std::string was_never_read_;  // of the last view that this session was told of
  std::map<std::string, TypeState, TypeOrder> types_;

  bool was_greeted_ = false;
  ClientNode node_;
  bool knows_ttl_ = false;
  // Delta: the client has resources of an earlier stream.
  bool is_returning_ = false;
  // What a returning client was sent anew before it asked for the children of it.
  std::map<ResourceKey, ResourcePtr> parents_sent_;

  bool is_writing_ = false;
  bool has_ended_ = false;
  uint64_t nonce_ = 0;
  absl::Time last_flush_ = absl::InfinitePast();
  // Until then the parts of a commit wait for one another.
  absl::Time gate_until_ = absl::InfinitePast();
  // When it first took clusters that have endpoints, and had not asked for any.
  absl::Time took_clusters_at_ = absl::InfiniteFuture();
  bool may_ask_for_endpoints_ = true;  // since the gate opened
  // What was new to the client since the gate opened.
  std::vector<ResourceList> sent_in_gate_;
  absl::Time alarm_ = absl::InfiniteFuture();
  std::vector<LedgerEvent> events_;  // the last few, oldest first

  // As many as an event has in the rule.
  static constexpr size_t kFewEffects = 3;

  // Of the event at hand.
  absl::Time now_;
  SessionEffects effects_;
};

}  // namespace holdfast
