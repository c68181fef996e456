// What was seen in an act, and which promises it broke.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "demo/story/act.h"

namespace holdfast {

// What a client says of the calls that ended since it was last asked.
struct CallReport {
  uint64_t calls = 0;
  uint64_t failed = 0;
  std::string error;  // of the newest that failed: "UNAVAILABLE: ..."
  // Without the end of a call, since the first that ended; one that still lasts counts, too.
  absl::Duration longest_pause = absl::ZeroDuration();

  friend bool operator==(const CallReport&, const CallReport&) = default;
};

// As one line, without its end, and back; nothing if it is none.
std::string LineOf(const CallReport& report);
std::optional<CallReport> ReportIn(absl::string_view line);

// The answer to a single call.
struct Answer {
  absl::Duration after;
  std::string text;  // "UNAVAILABLE: ..."

  friend bool operator==(const Answer&, const Answer&) = default;
};
std::string LineOf(const Answer& answer);
std::optional<Answer> AnswerIn(absl::string_view line);

// The text of a warning, if the line of a log is one.
std::optional<std::string> WarningIn(absl::string_view log_line);

struct ClientRecord {
  CallReport calls;
  std::vector<std::string> warnings;        // in its log, oldest first
  std::optional<Answer> answer;             // for the name that is not there
  absl::Duration silence;                   // without an answer: so long
  std::optional<absl::Duration> recovered;  // after the repair
  absl::Duration unwell;                    // without recovery: so long after the repair

  void Add(const CallReport& report);
};

struct ActRecord {
  ClientRecord holdfast;
  ClientRecord stock;
};

bool HasPausedTooLong(const Promise& promise, const ClientRecord& client);

// The newest warning that says what was promised, else the newest; empty if there is none.
std::string TellingWarning(const Promise& promise, const ClientRecord& holdfast);

// Whether what the promise waits for has been seen, or it is broken already: more time will not
// change it.
bool IsDecided(const Promise& promise, const ClientRecord& holdfast);

// How many of these an error says.
size_t CountSaid(absl::string_view error, const std::vector<std::string>& parts);

// A sentence for each promise of the act that was not kept.
std::vector<std::string> BrokenPromises(const Act& act, const ClientRecord& holdfast);

}  // namespace holdfast
