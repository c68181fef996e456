// One ADS stream of a client, seen from the control plane: what it asked for, what it was sent, and
// what it is to be sent next. SotW and delta.
//
// Pure: same events, same effects. What holds after each event:
// - at most one response is outstanding (SendResponse … WriteDone);
// - a name is never both in the resources and the errors of a response (R2.33);
// - what a client rejected is not sent again until its content changes;
// - errors are only about names that the stream asked for by name (R2.39).
//
// Not thread-safe.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "control/session/session_report.h"
#include "control/session/session_types.h"

namespace holdfast {

class Session {
 public:
  // `view` is what is served now. `peer` is how logs call a client that has not said its node id.
  Session(Variant variant, const SessionOptions& options, ViewPtr view, std::string peer);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  SessionEffects Handle(absl::Time now, const SessionEvent& event);

  // A commit that changed nothing this session follows: no event, only a newer view for whatever
  // is asked for next.
  void Renew(ViewPtr view);

  // Of the first request; empty before it.
  const ClientNode& node() const;

  // What the client has made of what it was sent. Costs what is not good, and what was asked for.
  SessionReport Report(const ReportOptions& options) const;
  // The same in two numbers, at once.
  HeldBack held_back() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast
