#include "demo/story/act_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text_width.h"
#include "demo/story/time_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kIndent = "     ";

Outcome AnswerOutcome(const Promise& promise, const ClientRecord& client) {
  if (!client.answer.has_value()) {
    return {absl::StrCat("still silent after ", TimeText(client.silence)), false};
  }
  const bool is_soon = client.answer->after <= promise.answers_within;
  return {absl::StrCat(is_soon ? "told after " : "silent for ", TimeText(client.answer->after)),
          is_soon};
}

Outcome RecoveryOutcome(const ClientRecord& client) {
  if (client.recovered.has_value()) {
    return {absl::StrCat("well again after ", TimeText(*client.recovered)), true};
  }
  return {absl::StrCat("not well after ", TimeText(client.unwell)), false};
}

Outcome CallsOutcome(const Promise& promise, const ClientRecord& client) {
  const CallReport& calls = client.calls;
  Outcome outcome = {absl::StrCat(calls.failed, " of ", calls.calls, " failed"), calls.failed == 0};
  if (HasPausedTooLong(promise, client)) {
    outcome.is_good = false;
    absl::StrAppend(&outcome.text, ", none ended for ", TimeText(calls.longest_pause));
  }
  if (!promise.error_says.empty()) {
    const size_t said = CountSaid(calls.error, promise.error_says);
    outcome.is_good = said == promise.error_says.size();
    absl::StrAppend(&outcome.text, ", ", said, " of ", promise.error_says.size(), " reasons");
  }
  if (client.unwell > absl::ZeroDuration()) {
    absl::StrAppend(&outcome.text, ", not back in ", TimeText(client.unwell));
  }
  return outcome;
}

}  // namespace

std::string StockName(absl::string_view version) { return absl::StrCat("stock gRPC ", version); }

std::vector<std::string> WrappedAt(absl::string_view text, size_t columns) {
  std::vector<std::string> lines;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (lines.empty() || WidthOf(lines.back()) + 1 + WidthOf(word) > columns) {
      lines.emplace_back(word);
    } else {
      absl::StrAppend(&lines.back(), " ", word);
    }
  }
  return lines;
}

std::vector<std::string> Heading(const Act& act, size_t number, size_t count, const Style& style) {
  std::vector<std::string> lines = {
      "", style.Bold(absl::StrFormat("%d/%d  %s", number, count, act.title))};
  for (const std::string& line : act.telling) lines.push_back(absl::StrCat(kIndent, line));
  return lines;
}

std::string TextOf(const LiveLine& line, size_t columns, const Style& style) {
  const bool is_well = line.now.failed == 0 && line.now.calls > 0;
  const std::string text = absl::StrFormat("%-18s %4.0f calls/s %6d ok %6d failed  %s", line.name,
                                           line.rate, line.sum.calls.calls - line.sum.calls.failed,
                                           line.sum.calls.failed, line.now.error);
  // A sign comes first, and the last column of a terminal is better left alone.
  const size_t margin = kIndent.size() + 3;
  return absl::StrCat(kIndent, style.Marked(is_well, CutTo(absl::StripTrailingAsciiWhitespace(text),
                                                           columns - std::min(margin, columns))));
}

Outcome OutcomeOf(const Promise& promise, const ClientRecord& client) {
  if (!promise.answer_says.empty()) return AnswerOutcome(promise, client);
  if (promise.recovers_within != absl::InfiniteDuration()) return RecoveryOutcome(client);
  return CallsOutcome(promise, client);
}

std::string ErrorOf(const Promise& promise, const ClientRecord& client) {
  if (!promise.answer_says.empty()) return client.answer.has_value() ? client.answer->text : "";
  // Once it is well, what it said before is of the act before.
  return client.recovered.has_value() && promise.recovers_within != absl::InfiniteDuration()
             ? ""
             : client.calls.error;
}

std::vector<std::string> Closing(const Act& act, const ActRecord& record, absl::string_view stock,
                                 size_t columns, const Style& style) {
  std::vector<std::string> lines;
  const auto add = [&](absl::string_view name, const ClientRecord& client) {
    const Outcome outcome = OutcomeOf(act.promise, client);
    lines.push_back(absl::StrCat(
        kIndent, style.Marked(outcome.is_good, absl::StrFormat("%-18s %s", name, outcome.text))));
  };
  const auto quote = [&](absl::string_view text) {
    if (text.empty()) return;
    const size_t room = columns - std::min(columns, kIndent.size() + 2);
    // Where a call has to fail, its words are what the act is about.
    for (const std::string& line : act.promise.error_says.empty()
                                       ? std::vector<std::string>{CutTo(text, room)}
                                       : WrappedAt(text, room)) {
      lines.push_back(absl::StrCat(kIndent, "  ", style.Faint(line)));
    }
  };
  add(stock, record.stock);
  quote(ErrorOf(act.promise, record.stock));
  if (record.stock.unwell > absl::ZeroDuration() && act.ends_repaired) {
    quote("All is repaired, and it does not notice: it is started anew.");
  }
  add(kHoldfast, record.holdfast);
  quote(ErrorOf(act.promise, record.holdfast));
  if (!act.promise.log_says.empty()) {
    const std::string warning = TellingWarning(act.promise, record.holdfast);
    // Whose it is goes without saying here.
    quote(absl::StrCat("log: ", absl::StripPrefix(warning, absl::StrCat(kTarget, ": "))));
  }
  return lines;
}

}  // namespace holdfast
