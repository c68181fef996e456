#include "demo/story/record.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/outside_text.h"
#include "demo/story/time_text.h"

namespace holdfast {
namespace {

// Nobody's error is longer, and a line has an end.
constexpr size_t kMostErrorBytes = 16 * 1024;

bool SaysAll(absl::string_view text, const std::vector<std::string>& parts) {
  return CountSaid(text, parts) == parts.size();
}

bool HasWarning(const ClientRecord& client, const std::vector<std::string>& parts) {
  return parts.empty() ||
         std::any_of(client.warnings.begin(), client.warnings.end(),
                     [&](const std::string& line) { return SaysAll(line, parts); });
}

std::string InQuotes(const std::vector<std::string>& parts) {
  return absl::StrJoin(parts, " and ", [](std::string* out, const std::string& part) {
    absl::StrAppend(out, Quoted(part));
  });
}

// A promise that was not kept.
struct Broken {
  std::string promised;
  std::string got;
};
using Breach = std::optional<Broken>;

Breach CallsGoOn(const ClientRecord& client) {
  if (client.calls.calls > 0) return std::nullopt;
  return {{"calls go on", "not one came to an end"}};
}

Breach NoCallFails(const Promise& promise, const ClientRecord& client) {
  const CallReport& calls = client.calls;
  if (!promise.no_call_fails || calls.failed == 0) return std::nullopt;
  return {
      {"no call fails", absl::StrCat(calls.failed, " of ", calls.calls, " did: ", calls.error)}};
}

Breach GoesOn(const Promise& promise, const ClientRecord& client) {
  if (!HasPausedTooLong(promise, client)) return std::nullopt;
  return {{absl::StrCat("no pause between calls is longer than ", TimeText(promise.longest_pause)),
           absl::StrCat("one is ", TimeText(client.calls.longest_pause))}};
}

Breach LogSays(const Promise& promise, const ClientRecord& client) {
  if (HasWarning(client, promise.log_says)) return std::nullopt;
  return {{absl::StrCat("the log says ", InQuotes(promise.log_says)),
           client.warnings.empty()
               ? "it says nothing"
               : absl::StrCat("its newest warning is: ", client.warnings.back())}};
}

Breach ErrorSays(const Promise& promise, const ClientRecord& client) {
  if (SaysAll(client.calls.error, promise.error_says)) return std::nullopt;
  return {
      {absl::StrCat("a call that fails says ", InQuotes(promise.error_says)),
       client.calls.failed == 0 ? "none failed" : absl::StrCat("it says: ", client.calls.error)}};
}

Breach Answers(const Promise& promise, const ClientRecord& client) {
  if (promise.answer_says.empty()) return std::nullopt;
  const std::string promised = absl::StrCat("an answer that says ", InQuotes(promise.answer_says),
                                            " within ", TimeText(promise.answers_within));
  if (!client.answer.has_value()) {
    return {{promised, absl::StrCat("none after ", TimeText(client.silence))}};
  }
  if (client.answer->after <= promise.answers_within &&
      SaysAll(client.answer->text, promise.answer_says)) {
    return std::nullopt;
  }
  return {{promised,
           absl::StrCat("after ", TimeText(client.answer->after), ": ", client.answer->text)}};
}

Breach Recovers(const Promise& promise, const ClientRecord& client) {
  if (promise.recovers_within == absl::InfiniteDuration()) return std::nullopt;
  const std::string promised =
      absl::StrCat("calls are answered within ", TimeText(promise.recovers_within));
  if (!client.recovered.has_value()) {
    return {{promised, absl::StrCat("they are not: ", client.calls.error)}};
  }
  if (*client.recovered <= promise.recovers_within) return std::nullopt;
  return {{promised, absl::StrCat("it took ", TimeText(*client.recovered))}};
}

}  // namespace

size_t CountSaid(absl::string_view error, const std::vector<std::string>& parts) {
  return static_cast<size_t>(
      std::count_if(parts.begin(), parts.end(),
                    [error](const std::string& part) { return absl::StrContains(error, part); }));
}

std::string LineOf(const CallReport& report) {
  return absl::StrCat(report.calls, "\t", report.failed, "\t",
                      absl::ToInt64Microseconds(report.longest_pause), "\t",
                      BoundedText(report.error, kMostErrorBytes));
}

std::optional<CallReport> ReportIn(absl::string_view line) {
  const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits('\t', 3));
  CallReport report;
  int64_t pause = 0;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[0], &report.calls) ||
      !absl::SimpleAtoi(fields[1], &report.failed) || !absl::SimpleAtoi(fields[2], &pause)) {
    return std::nullopt;
  }
  report.longest_pause = absl::Microseconds(pause);
  report.error = fields[3];
  return report;
}

std::string LineOf(const Answer& answer) {
  return absl::StrCat(absl::ToInt64Microseconds(answer.after), "\t",
                      BoundedText(answer.text, kMostErrorBytes));
}

std::optional<Answer> AnswerIn(absl::string_view line) {
  const std::pair<absl::string_view, absl::string_view> fields =
      absl::StrSplit(line, absl::MaxSplits('\t', 1));
  int64_t microseconds = 0;
  if (!absl::SimpleAtoi(fields.first, &microseconds)) return std::nullopt;
  return Answer{absl::Microseconds(microseconds), std::string(fields.second)};
}

std::optional<std::string> WarningIn(absl::string_view log_line) {
  // TIME WARNING COMPONENT: TEXT
  const std::vector<absl::string_view> words = absl::StrSplit(log_line, absl::MaxSplits(' ', 3));
  if (words.size() != 4 || words[1] != "WARNING") return std::nullopt;
  return std::string(words[3]);
}

void ClientRecord::Add(const CallReport& report) {
  calls.calls += report.calls;
  calls.failed += report.failed;
  calls.longest_pause = std::max(calls.longest_pause, report.longest_pause);
  if (report.failed > 0) calls.error = report.error;
}

bool HasPausedTooLong(const Promise& promise, const ClientRecord& client) {
  return client.calls.longest_pause > promise.longest_pause;
}

std::string TellingWarning(const Promise& promise, const ClientRecord& holdfast) {
  const auto telling =
      std::find_if(holdfast.warnings.rbegin(), holdfast.warnings.rend(),
                   [&](const std::string& warning) { return SaysAll(warning, promise.log_says); });
  if (telling != holdfast.warnings.rend()) return *telling;
  return holdfast.warnings.empty() ? "" : holdfast.warnings.back();
}

bool IsDecided(const Promise& promise, const ClientRecord& holdfast) {
  if (NoCallFails(promise, holdfast).has_value() || HasPausedTooLong(promise, holdfast)) {
    return true;
  }
  return HasWarning(holdfast, promise.log_says) &&
         SaysAll(holdfast.calls.error, promise.error_says) &&
         (promise.answer_says.empty() || holdfast.answer.has_value());
}

std::vector<std::string> BrokenPromises(const Act& act, const ClientRecord& holdfast) {
  std::vector<std::string> broken;
  for (const Breach& breach :
       {CallsGoOn(holdfast), NoCallFails(act.promise, holdfast), GoesOn(act.promise, holdfast),
        LogSays(act.promise, holdfast), ErrorSays(act.promise, holdfast),
        Answers(act.promise, holdfast), Recovers(act.promise, holdfast)}) {
    if (!breach.has_value()) continue;
    broken.push_back(absl::StrCat(act.event, ": ", breach->promised, "; ", breach->got));
  }
  return broken;
}

}  // namespace holdfast
