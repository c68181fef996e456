#include "demo/storyteller.h"

#include <grpcpp/grpcpp.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "demo/screen.h"
#include "demo/stage.h"
#include "demo/story/act.h"
#include "demo/story/act_text.h"
#include "demo/story/ending.h"
#include "demo/story/record.h"
#include "demo/watched_client.h"

namespace holdfast {
namespace {

// How long things take.
struct Pace {
  absl::Duration trouble;         // at least
  absl::Duration calm;            // after the repair, at least
  absl::Duration stock_recovery;  // at most, before stock gRPC is begun anew
  absl::Duration stock_answer;    // at most, from the beginning of the story
};
constexpr Pace kUsual = {absl::Seconds(4), absl::Milliseconds(1500), absl::Seconds(5),
                         absl::Seconds(20)};
constexpr Pace kFast = {absl::Milliseconds(800), absl::Milliseconds(400), absl::Seconds(2),
                        absl::ZeroDuration()};
// What was promised has so long to be seen, on a machine as busy as can be.
constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kGlance = absl::Milliseconds(100);

// A process that calls a name that is not there.
struct Question {
  std::unique_ptr<ChildProcess> process;
  absl::Time asked;
  std::optional<Answer> answer;

  absl::Status Listen() {
    if (process == nullptr || answer.has_value()) return absl::OkStatus();
    const absl::StatusOr<std::string> line = process->ReadLine(absl::ZeroDuration());
    if (absl::IsDeadlineExceeded(line.status())) return absl::OkStatus();
    if (line.ok()) answer = AnswerIn(*line);
    return line.status();
  }
  void Report(ClientRecord& record) const {
    record.answer = answer;
    record.silence = absl::Now() - asked;
  }
};

bool IsAboutRecovery(const Act& act) {
  return act.promise.recovers_within != absl::InfiniteDuration();
}

class Storyteller {
 public:
  Storyteller(const DemoOptions& options, int stop_event)
      : options_(options),
        pace_(options.is_fast ? kFast : kUsual),
        stop_event_(stop_event),
        stock_name_(StockName(grpc::Version())),
        screen_(STDOUT_FILENO, options.redraws) {}

  absl::StatusOr<bool> Tell();

 private:
  absl::Status Begin();
  absl::Status Play(const Act& act, size_t number, size_t count);
  absl::Status LiveThrough(const Act& act);
  absl::Status Repair(const Act& act);
  absl::Status BeginStockAnew();
  void Close(const Act& act);

  // Goes on while `is_waiting`; all clients are heard meanwhile.
  absl::Status While(absl::FunctionRef<bool()> is_waiting);
  absl::Status Glance();
  absl::Status WaitForEnter();
  absl::Status IsHeard() const {
    return screen_.is_broken() ? absl::CancelledError("nobody reads the story any more")
                               : absl::OkStatus();
  }
  std::vector<std::string> LiveLines(size_t columns) const;

  absl::Status Become(Mishap trouble) {
    return stage_->Become(WorldIn(trouble, stage_->backend_addresses()));
  }

  const DemoOptions& options_;
  const Pace pace_;
  const int stop_event_;
  const std::string stock_name_;
  Screen screen_;
  std::unique_ptr<Stage> stage_;
  std::optional<WatchedClient> holdfast_;
  std::optional<WatchedClient> stock_;
  Question holdfast_question_;
  Question stock_question_;
  ActRecord record_;  // of the act that is played
  bool has_input_ = true;
  bool is_between_acts_ = false;
  std::vector<ToldAct> told_;
};

absl::StatusOr<bool> Storyteller::Tell() {
  if (absl::Status status = Begin(); !status.ok()) return status;
  const std::vector<Act> script = Script(stage_->control_plane_address());
  for (size_t i = 0; i < script.size(); ++i) {
    if (absl::Status status = Play(script[i], i + 1, script.size()); !status.ok()) return status;
  }
  const Ending ending = EndingOf(told_, stock_name_, options_.style);
  screen_.Say({"", "", options_.style.Bold("What became of the calls"), ""});
  screen_.Say(ending.table);
  screen_.Say({"", options_.style.Bold("What they said"), ""});
  screen_.Say(ending.words);
  screen_.Say({""});
  screen_.Say(Conclusion(ending, script.size(), options_.style));
  if (absl::Status status = IsHeard(); !status.ok()) return status;
  return ending.is_kept();
}

absl::Status Storyteller::Begin() {
  screen_.Say({options_.style.Bold("An outage in eight acts: Holdfast and stock gRPC side by side"),
               absl::StrCat("Two clients of one service: holdfast::CreateChannel(\"xds:///web\") ",
                            "and grpc::CreateChannel, the same.")});
  absl::StatusOr<std::unique_ptr<Stage>> stage = Stage::Open();
  if (!stage.ok()) return stage.status();
  stage_ = *std::move(stage);
  holdfast_.emplace(stage_->StartCaller(Kind::kHoldfast, kTarget, /*calls_once=*/false));
  stock_.emplace(stage_->StartCaller(Kind::kStock, kTarget, /*calls_once=*/false));
  return absl::OkStatus();
}

absl::Status Storyteller::Play(const Act& act, size_t number, size_t count) {
  record_ = {};
  if (number > 1) {
    if (absl::Status status = WaitForEnter(); !status.ok()) return status;
  }
  screen_.Say(Heading(act, number, count, options_.style));
  absl::Status status = IsAboutRecovery(act) ? absl::OkStatus() : LiveThrough(act);
  if (status.ok() && act.ends_repaired) status = Repair(act);
  if (status.ok()) Close(act);
  return status;
}

absl::Status Storyteller::LiveThrough(const Act& act) {
  const absl::Time begin = absl::Now();
  if (absl::Status status = Become(act.trouble); !status.ok()) return status;
  const bool is_about_answers = act.trouble == Mishap::kMissingName;
  absl::Status status = While([&] {
    if (is_about_answers) holdfast_question_.Report(record_.holdfast);
    if (is_about_answers) stock_question_.Report(record_.stock);
    const absl::Duration spent = absl::Now() - begin;
    if (spent < pace_.trouble) return true;
    if (is_about_answers && !record_.stock.answer.has_value() &&
        record_.stock.silence < pace_.stock_answer) {
      return true;
    }
    const bool has_begun = record_.holdfast.calls.calls > 0 && record_.stock.calls.calls > 0;
    return spent < kPatience && !(has_begun && IsDecided(act.promise, record_.holdfast));
  });
  // So that nobody has to wait for a silence to end, it is asked long before its act.
  if (act.trouble == Mishap::kNone) {
    holdfast_question_ = {stage_->StartCaller(Kind::kHoldfast, kMissingTarget, true), absl::Now()};
    stock_question_ = {stage_->StartCaller(Kind::kStock, kMissingTarget, true), absl::Now()};
  }
  // What comes next would be an answer of another kind.
  if (is_about_answers) holdfast_question_.process.reset();
  if (is_about_answers) stock_question_.process.reset();
  return status;
}

// The world is as it should be again; the next act begins with clients that are well.
absl::Status Storyteller::Repair(const Act& act) {
  const absl::Time repaired = absl::Now();
  if (absl::Status status = Become(Mishap::kNone); !status.ok()) return status;
  const auto hear_recovery = [&](const WatchedClient& client, ClientRecord& record) {
    const std::optional<absl::Time> since = client.IsWellSince();
    if (record.recovered.has_value() || !since.has_value()) return;
    record.recovered = std::max(*since - repaired, absl::ZeroDuration());
  };
  const absl::Duration stock_patience = IsAboutRecovery(act) ? kPatience : pace_.stock_recovery;
  absl::Status status = While([&] {
    hear_recovery(*holdfast_, record_.holdfast);
    hear_recovery(*stock_, record_.stock);
    const absl::Duration spent = absl::Now() - repaired;
    if (spent < pace_.calm) return true;
    return (!record_.holdfast.recovered.has_value() && spent < kPatience) ||
           (!record_.stock.recovered.has_value() && spent < stock_patience);
  });
  for (ClientRecord* record : {&record_.holdfast, &record_.stock}) {
    if (!record->recovered.has_value()) record->unwell = absl::Now() - repaired;
  }
  if (!status.ok() || record_.stock.recovered.has_value() || IsAboutRecovery(act)) return status;
  return BeginStockAnew();
}

absl::Status Storyteller::BeginStockAnew() {
  stock_->BeginAnew(stage_->StartCaller(Kind::kStock, kTarget, /*calls_once=*/false));
  const absl::Time begin = absl::Now();
  // Its first calls are of this act, and not judged.
  return While(
      [&] { return !stock_->IsWellSince().has_value() && absl::Now() - begin < kPatience; });
}

void Storyteller::Close(const Act& act) {
  screen_.Say(Closing(act, record_, stock_name_, screen_.columns(), options_.style));
  told_.push_back({act, std::move(record_)});
}

absl::Status Storyteller::While(absl::FunctionRef<bool()> is_waiting) {
  do {
    pollfd stop = {stop_event_, POLLIN, 0};
    if (::poll(&stop, 1, static_cast<int>(absl::ToInt64Milliseconds(kGlance))) > 0) {
      return absl::CancelledError("stopped by a signal");
    }
    if (absl::Status status = Glance(); !status.ok()) return status;
  } while (is_waiting());
  return absl::OkStatus();
}

absl::Status Storyteller::Glance() {
  const absl::Time now = absl::Now();
  for (absl::Status status :
       {stage_->IsAlive(), holdfast_->Ask(now, record_.holdfast), stock_->Ask(now, record_.stock),
        holdfast_question_.Listen(), stock_question_.Listen()}) {
    if (!status.ok()) return status;
  }
  // Enter, when it comes, would break the lines that are written over.
  if (!is_between_acts_) screen_.Show(LiveLines(screen_.columns()));
  return IsHeard();
}

absl::Status Storyteller::WaitForEnter() {
  if (!options_.waits_for_enter || !has_input_) return absl::OkStatus();
  screen_.Say({"", options_.style.Faint("     Enter goes on")});
  bool goes_on = false;
  is_between_acts_ = true;
  const absl::Status status = While([&] {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 0) > 0) {
      char line[256];
      has_input_ = ::read(STDIN_FILENO, line, sizeof(line)) > 0;
      goes_on = true;
    }
    return !goes_on;
  });
  is_between_acts_ = false;
  return status;
}

std::vector<std::string> Storyteller::LiveLines(size_t columns) const {
  std::vector<std::string> lines;
  for (const auto& [name, client, record] :
       {std::tuple(absl::string_view(stock_name_), &*stock_, &record_.stock),
        std::tuple(kHoldfast, &*holdfast_, &record_.holdfast)}) {
    lines.push_back(
        TextOf(LiveLine{name, *record, client->last(), client->Rate()}, columns, options_.style));
  }
  return lines;
}

}  // namespace

absl::StatusOr<bool> TellStory(const DemoOptions& options, int stop_event) {
  // Who started us may ignore it; then we would not learn how our children end.
  ::signal(SIGCHLD, SIG_DFL);
  return Storyteller(options, stop_event).Tell();
}

}  // namespace holdfast
