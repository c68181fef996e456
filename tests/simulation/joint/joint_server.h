// The control plane of the joint simulation: a configuration that changes, and a session for each
// stream, driven as the real one drives them: those that follow a change are told, the others only
// find a newer view when they are next spoken to.
//
// Checks what must hold of every response, whoever reads it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "control/catalog/view.h"
#include "control/session/interest_index.h"
#include "control/session/response_encoder.h"
#include "control/session/session.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/findings.h"

namespace holdfast {

class JointServer {
 public:
  JointServer(Chance& chance, SessionOptions options, Findings& findings);

  const View& view() const { return *view_; }
  bool is_up() const { return is_up_; }
  const SessionOptions& options() const { return options_; }

  // Something changes: a resource comes, changes, turns bad or goes; an error is said or taken
  // back; a part of the source comes that nobody can read, or can be read at last.
  void ChangeSomething(absl::Time now);
  // Whatever could never be read is read.
  void ReadAll(absl::Time now);
  // All streams end, and nothing can be said about names until BecomeSynced(). It comes back with
  // what it served, with what it saved some time ago, or with nothing; and somebody may have put
  // the old configuration back meanwhile.
  void Restart();
  void BecomeSynced(absl::Time now);

  // A stream of a client. 0 is none.
  uint64_t Open(Variant variant);
  void Close(uint64_t stream);
  bool IsOpen(uint64_t stream) const { return streams_.contains(stream); }
  void Tell(absl::Time now, uint64_t stream, const SessionEvent& event);

  bool IsWriting(uint64_t stream) const;
  void FinishWrite(absl::Time now, uint64_t stream);
  std::optional<absl::Time> WakesAt(uint64_t stream) const;

  // What was sent and not taken yet.
  bool HasMessage(uint64_t stream) const;
  std::string TakeMessage(uint64_t stream);

 private:
  struct Stream {
    Variant variant;
    std::unique_ptr<Session> session;
    uint64_t view_id = 0;
    bool is_writing = false;
    std::optional<absl::Time> wakes_at;
    std::deque<std::string> messages;
    std::set<std::pair<std::string, std::string>> follows;
    // Types with which the client came back from an earlier stream, and got no answer yet.
    std::set<std::string> returns_with;
    // Delta: what it has from an earlier stream, in another version than ours.
    std::set<ResourceKey> brought;
    std::set<std::string> types;
  };

  // Without what was saved, a part that was read before may be one that nobody could ever read.
  void Break();
  void Mend();
  void Publish(absl::Time now, Contents said);
  void NoteBrought(Stream& stream, const SessionEvent& event);
  void Do(uint64_t id, Stream& stream, const SessionEffects& effects);
  void Check(Stream& stream, const SendResponse& response);
  void CheckErrors(const SendResponse& response);
  void CheckNothingIsTaken(Stream& stream, const SendResponse& response);

  Chance& chance_;
  const SessionOptions options_;
  Findings& findings_;
  Contents contents_;
  Contents saved_;              // what contents_ was at some time
  Contents hidden_;             // in the part that cannot be read
  std::set<ResourceKey> gone_;  // was served, and went while a part could not be read
  ViewPtr view_ = std::make_shared<View>();
  bool is_up_ = true;
  int last_content_ = 0;
  uint64_t last_stream_ = 0;
  std::map<uint64_t, Stream> streams_;
  InterestIndex index_;
  ResponseEncoder sotw_encoder_{Variant::kSotw, "joint"};
  ResponseEncoder delta_encoder_{Variant::kDelta, "joint"};
};

}  // namespace holdfast
