// One event, what the protocol makes of it, and what it may make of it.
#include <sstream>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/simulation/simulation.h"

namespace holdfast {
namespace {

// A snapshot is long; what watchers hear is checked at every step anyway.
constexpr size_t kStepsBetweenSnapshots = 16;

}  // namespace

void Simulation::Tell(const Event& event) {
  watchers_.BeginStep();
  has_ordered_read_ = false;
  has_opened_stream_ = false;
  failures_counted_ = 0;
  const bool was_server_failing = cache_.is_server_failing();
  Foresee(event);
  const Effects effects = protocol_.Handle(now_, event);
  Record(event, effects);
  for (const Effect& effect : effects) Do(effect);
  Hindsight(event);
  const bool is_failure = cache_.is_server_failing() && !was_server_failing;
  if (failures_counted_ != (is_failure ? 1 : 0)) {
    findings_.Add("server failures are counted wrong");  // A78
  }
  CheckCalls(event);
  CheckReads(event);
  CheckStreamAndTimers();
  watchers_.CheckExpectations();
  CheckSnapshotNowAndThen();
}

void Simulation::TellStale(const Event& event) {
  const Effects effects = protocol_.Handle(now_, event);
  Record(event, effects);
  if (!effects.empty()) findings_.Add("stale news had effects");
  CheckSnapshotNowAndThen();
}

void Simulation::CheckSnapshotNowAndThen() {
  if (events_ % kStepsBetweenSnapshots == 0 && findings_.ok()) cache_.Check(protocol_.Snapshot());
}

// What follows from the event whatever the protocol says.
void Simulation::Foresee(const Event& event) {
  if (std::holds_alternative<RequestSent>(event)) {
    requests_.RequestLeft();
    const int type = requests_.in_flight_type();
    cache_.RequestLeft(type, requests_.names_ordered(type));
    timers_.RequestLeft(type, requests_.names_ordered(type));
  } else if (const auto* received = std::get_if<ResponseReceived>(&event)) {
    const DiscoveryResponse& response = received->response;
    const int type = IndexOfTypeUrl(response.type_url);
    if (requests_.WasAsked(type)) {
      timers_.ResponseCame(response);
      requests_.ResponseCame(type, response, cache_.Respond(response));
    }
    cache_.ServerAnswered();
    has_seen_response_ = true;
  } else if (std::holds_alternative<StreamClosed>(event)) {
    if (!has_seen_response_) cache_.ServerFailed();  // R3-T24: else it is no failure
    StreamEnded();
  }
}

void Simulation::StreamEnded() {
  has_seen_response_ = false;
  cache_.StreamEnded();
  requests_.StreamEnded();
  timers_.StreamEnded();
}

void Simulation::Do(const Effect& effect) {
  if (const auto* open = std::get_if<OpenStream>(&effect)) {
    has_opened_stream_ = true;
    network_.Do(*open);
  } else if (const auto* close = std::get_if<CloseStream>(&effect)) {
    network_.Do(*close);
    StreamEnded();
  } else if (const auto* send = std::get_if<SendRequest>(&effect)) {
    network_.Do(*send);
    requests_.Check(*send);
    if (!findings_.ok()) return;
    const int type = requests_.in_flight_type();
    cache_.RequestOrdered(type, requests_.names_ordered(type));
    timers_.RequestOrdered(type, requests_.names_ordered(type));
  } else if (const auto* read = std::get_if<ReadNext>(&effect)) {
    has_ordered_read_ = true;
    network_.Do(*read);
  } else if (const auto* start = std::get_if<StartTimer>(&effect)) {
    timers_.Do(now_, network_.is_open(), *start);
  } else if (const auto* cancel = std::get_if<CancelTimer>(&effect)) {
    timers_.Do(*cancel);
  } else if (const auto* resource = std::get_if<DeliverResource>(&effect)) {
    watchers_.Hear(*resource);
  } else if (const auto* error = std::get_if<DeliverError>(&effect)) {
    watchers_.Hear(*error);
  } else if (const auto* ambient = std::get_if<DeliverAmbientError>(&effect)) {
    watchers_.Hear(*ambient);
  } else if (const auto* count = std::get_if<Count>(&effect)) {
    if (count->counter == &kServerFailure) ++failures_counted_;
  }
}

// What only the effects tell: whose timer it was that fired, and how the protocol decided where it
// was free to.
void Simulation::Hindsight(const Event& event) {
  if (std::holds_alternative<TimerFired>(event) && fired_ == TimerRules::Kind::kResource) {
    bool is_told = false;
    for (size_t i = 0; i < watchers_.count() && !is_told; ++i) {
      is_told = watchers_.at(i).calls > 0;
      if (!is_told) continue;
      cache_.TimerFired(watchers_.at(i).key);
      timers_.TimeIsUp(watchers_.at(i).key);
    }
    if (!is_told) timers_.SomeTimeIsUp();
  }
  // The first to come after everybody left, and nothing keeps the client from trying: what was
  // wrong then is no news of now.
  if (std::holds_alternative<WatchStarted>(event) && has_opened_stream_) cache_.ServerIsTriedAnew();
  if (cache_.is_anything_undecided()) cache_.TakeOver(protocol_.Snapshot());
}

void Simulation::CheckCalls(const Event& event) {
  const auto* started = std::get_if<WatchStarted>(&event);
  // R3.34: one response, one call.
  const bool may_call_all = std::holds_alternative<ResponseReceived>(event) ||
                            std::holds_alternative<StreamClosed>(event) ||
                            std::holds_alternative<TimerFired>(event);
  for (size_t i = 0; i < watchers_.count(); ++i) {
    const WatcherRecord& watcher = watchers_.at(i);
    const bool is_newcomer = started != nullptr && started->watch == watcher.id;
    const int most = is_newcomer ? 3 : (may_call_all ? 1 : 0);
    if (watcher.calls > most) {
      findings_.Add(absl::StrCat(watcher.calls, " calls to watcher ", watcher.id.value()));
    }
  }
}

// One read after another, and none before the watchers are done (R1.21).
void Simulation::CheckReads(const Event& event) {
  bool must_read = has_opened_stream_;
  if (std::holds_alternative<ResponseReceived>(event) && network_.is_open()) {
    must_read = watchers_.calls() == 0;
    if (!must_read) network_.WaitForWatchers();
  } else if (std::holds_alternative<ResponseUnreadable>(event) ||
             std::holds_alternative<WatchersFinished>(event)) {
    must_read = network_.is_open();
  }
  if (must_read && !has_ordered_read_) findings_.Add("nobody reads on");
  if (!must_read && has_ordered_read_) findings_.Add("a read is ordered for no reason");
}

void Simulation::CheckStreamAndTimers() {
  using Kind = TimerRules::Kind;
  const bool is_open = network_.is_open();
  if (!watchers_.IsAnyNameWatched()) {
    if (is_open) findings_.Add("nobody watches, and a stream is open");
    if (timers_.IsAnyRunning()) findings_.Add("nobody watches, and a timer runs");
    return;
  }
  if (is_open == timers_.IsRunning(Kind::kReconnect)) {
    findings_.Add(is_open ? "a stream is open, and there is a timer to open one"
                          : "no stream is open, and nobody is going to open one");
  }
  if (is_open && !network_.is_request_in_flight()) {
    if (requests_.IsAnswerDue()) findings_.Add("a response is not answered");
    if (requests_.IsChangeDue() && !timers_.IsRunning(Kind::kHold)) {
      findings_.Add("what is watched has changed, and nobody tells the server");
    }
  }
  if (!is_open && timers_.IsRunning(Kind::kHold)) findings_.Add("a request waits for no stream");
  timers_.Check(is_open);
}

void Simulation::Record(const Event& event, const Effects& effects) {
  if (events_++ >= options_.told_from) {
    std::ostringstream line;
    line << events_ << ". " << absl::FormatDuration(now_ - absl::UnixEpoch()) << " " << event;
    for (const Effect& effect : effects) line << "\n      " << effect;
    story_.push_back(line.str());
  }
  if (options_.keep_events) past_.push_back({now_, event});
}

}  // namespace holdfast
