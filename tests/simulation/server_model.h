// A control plane as the specs have it, state of the world: it knows what is true, what this client
// asked for on this stream, and sends what it owes. On order it misbehaves instead.
//
// It never looks into the client: all it knows of it came in requests.
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/fake_world.h"
#include "xds/discovery.h"

namespace holdfast {

// What is true of one resource.
struct Truth {
  enum Kind { kAbsent, kValid, kInvalid, kError };
  Kind kind = kAbsent;
  int content = 0;   // of a valid one
  int32_t code = 0;  // of an error (TP3), as on the wire
  int message = 0;   // of an error: its number
};

class ServerModel {
 public:
  explicit ServerModel(Chance& chance);

  const Truth& truth(ResourceKey key) const { return truths_[key.index()]; }
  // Something becomes true; who is subscribed is owed an answer.
  void ChangeTruth();

  // A new stream: nothing is asked for yet.
  void Connect();
  void Receive(const DiscoveryRequest& request);
  // The stream ended and this request never came. What it no longer named the client has dropped;
  // a server that went on believing otherwise could leave it out for ever, and no client can help
  // that.
  void NeverReceived(const DiscoveryRequest& request);

  bool HasNews() const;
  // What a correct server sends next. REQUIRES: HasNews().
  DiscoveryResponse Answer();
  // What no server should send, and some do.
  DiscoveryResponse Misbehave();
  // Puts right what misbehaviour may have left at the client.
  void Repent();

 private:
  struct Type {
    int version = 1;
    // About the living stream.
    bool was_asked = false;
    int nonce = 0;          // of the last response; 0: none
    bool is_stale = false;  // the client spoke without having seen that response
    NameSet subscribed;
    NameSet owed;
    NameSet error_told;
    NameSet in_last_answer;  // and it was not acknowledged yet
    bool is_last_honest = true;
    // About the client, whatever the stream: it acknowledged the newest of these.
    NameSet held;
    bool is_tainted = false;  // misbehaved
  };

  static size_t At(int index) { return static_cast<size_t>(index); }
  bool HasNews(int type) const;
  bool MaySkip(int type, const DiscoveryRequest& request, const NameSet& names) const;
  DiscoveryResponse OfUnknownType();
  DiscoveryResponse Begin(int type);
  void AddTruth(DiscoveryResponse& response, ResourceKey key);
  void AddResource(DiscoveryResponse& response, absl::string_view name, absl::string_view body);
  DiscoveryResponse EverythingOf(int type);

  Chance& chance_;
  // How this server reads what the specs leave open.
  const bool repeats_errors_;
  const bool skips_when_current_;  // R1.39
  std::array<Truth, kAllResources> truths_;
  std::array<Type, kTypes> types_;
  int last_number_ = 1;  // of versions and nonces: no two are alike
};

}  // namespace holdfast
