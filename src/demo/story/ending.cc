#include "demo/story/ending.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "demo/story/act_text.h"
#include "demo/story/time_text.h"

namespace holdfast {
namespace {

struct Cell {
  std::string text;
  bool is_good = true;
};

Cell AnswerCell(const Promise& promise, const ClientRecord& client) {
  if (!client.answer.has_value()) {
    return {absl::StrCat("still silent after ", TimeText(client.silence)), false};
  }
  const bool is_soon = client.answer->after <= promise.answers_within;
  return {absl::StrCat(is_soon ? "told after " : "silent for ", TimeText(client.answer->after)),
          is_soon};
}

Cell RecoveryCell(const ClientRecord& client) {
  if (!client.recovered.has_value()) return {"not well again", false};
  return {absl::StrCat("well again after ", TimeText(*client.recovered)), true};
}

Cell CallsCell(const Promise& promise, const ClientRecord& client) {
  const CallReport& calls = client.calls;
  Cell cell = {absl::StrCat(calls.failed, " of ", calls.calls, " failed"), calls.failed == 0};
  if (!promise.error_says.empty()) {
    cell.is_good = std::all_of(
        promise.error_says.begin(), promise.error_says.end(),
        [&](const std::string& reason) { return absl::StrContains(calls.error, reason); });
    absl::StrAppend(&cell.text, cell.is_good ? ", saying both reasons" : ", not saying both");
  }
  if (client.was_begun_anew) absl::StrAppend(&cell.text, ", never recovered");
  return cell;
}

Cell CellOf(const Promise& promise, const ClientRecord& client) {
  if (!promise.answer_says.empty()) return AnswerCell(promise, client);
  if (promise.recovers_within != absl::InfiniteDuration()) return RecoveryCell(client);
  return CallsCell(promise, client);
}

using Row = std::array<Cell, 3>;  // the event, stock gRPC, Holdfast

std::string Padded(absl::string_view text, size_t columns) {
  return absl::StrCat(text, std::string(columns - std::min(columns, ColumnsOf(text)), ' '));
}

std::vector<std::string> TableOf(absl::Span<const ToldAct> acts, absl::string_view stock,
                                 const Style& style) {
  std::vector<Row> rows;
  for (const ToldAct& told : acts) {
    rows.push_back({Cell{told.act.event}, CellOf(told.act.promise, told.record.stock),
                    CellOf(told.act.promise, told.record.holdfast)});
  }
  // A cell of a client has a sign before it.
  const std::array<std::string, 3> heads = {"what happened", absl::StrCat("  ", stock),
                                            absl::StrCat("  ", kHoldfast)};
  std::array<size_t, 3> widths = {};
  for (size_t i = 0; i < widths.size(); ++i) {
    widths[i] = ColumnsOf(heads[i]);
    for (const Row& row : rows) {
      widths[i] = std::max(widths[i], ColumnsOf(row[i].text) + (i == 0 ? 0 : 2));
    }
  }
  std::vector<std::string> lines = {style.Bold(absl::StrCat(
      Padded(heads[0], widths[0]), "  ", Padded(heads[1], widths[1]), "  ", heads[2]))};
  for (const Row& row : rows) {
    lines.push_back(absl::StrCat(Padded(row[0].text, widths[0]), "  ",
                                 style.Marked(row[1].is_good, Padded(row[1].text, widths[1] - 2)),
                                 "  ", style.Marked(row[2].is_good, row[2].text)));
  }
  return lines;
}

void AddWords(absl::string_view who, absl::string_view text, std::vector<std::string>& lines) {
  if (!text.empty()) lines.push_back(absl::StrCat("  ", Padded(who, 16), text));
}

std::vector<std::string> WordsOf(const ToldAct& told, absl::string_view stock) {
  const auto error_of = [](const ClientRecord& client) {
    return client.answer.has_value() ? client.answer->text : client.calls.error;
  };
  std::vector<std::string> lines;
  AddWords(stock, error_of(told.record.stock), lines);
  AddWords(kHoldfast, error_of(told.record.holdfast), lines);
  if (!told.act.promise.log_says.empty()) {
    AddWords("Holdfast's log", TellingWarning(told.act.promise, told.record.holdfast), lines);
  }
  if (!lines.empty()) lines.insert(lines.begin(), absl::StrCat(told.act.event, ":"));
  return lines;
}

}  // namespace

Ending EndingOf(absl::Span<const ToldAct> acts, absl::string_view stock, const Style& style) {
  Ending ending;
  ending.table = TableOf(acts, stock, style);
  for (const ToldAct& told : acts) {
    for (std::string& line : WordsOf(told, stock)) ending.words.push_back(std::move(line));
    for (std::string& sentence : BrokenPromises(told.act, told.record.holdfast)) {
      ending.broken.push_back(std::move(sentence));
    }
  }
  return ending;
}

std::vector<std::string> Conclusion(const Ending& ending, size_t acts, const Style& style) {
  if (ending.is_kept()) {
    return {style.Marked(true,
                         absl::StrCat("Holdfast kept what it promises, in all ", acts, " acts."))};
  }
  std::vector<std::string> lines = {style.Marked(false, "Holdfast broke its promises:")};
  for (const std::string& sentence : ending.broken) lines.push_back(absl::StrCat("  ", sentence));
  return lines;
}

}  // namespace holdfast
