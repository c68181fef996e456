#include "demo/story/ending.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text_width.h"
#include "demo/story/act_text.h"

namespace holdfast {
namespace {

using Row = std::array<Outcome, 3>;  // the event, stock gRPC, Holdfast

std::vector<std::string> TableOf(absl::Span<const ToldAct> acts, absl::string_view stock,
                                 const Style& style) {
  std::vector<Row> rows;
  for (const ToldAct& told : acts) {
    rows.push_back({Outcome{told.act.event}, OutcomeOf(told.act.promise, told.record.stock),
                    OutcomeOf(told.act.promise, told.record.holdfast)});
  }
  // A cell of a client has a sign before it.
  const std::array<std::string, 3> heads = {"what happened", absl::StrCat("  ", stock),
                                            absl::StrCat("  ", kHoldfast)};
  std::array<size_t, 3> widths = {};
  for (size_t i = 0; i < widths.size(); ++i) {
    widths[i] = WidthOf(heads[i]);
    for (const Row& row : rows) {
      widths[i] = std::max(widths[i], WidthOf(row[i].text) + (i == 0 ? 0 : 2));
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
  if (!text.empty()) lines.push_back(absl::StrCat("  ", Padded(std::string(who), 19), text));
}

std::vector<std::string> WordsOf(const ToldAct& told, absl::string_view stock) {
  const Promise& promise = told.act.promise;
  std::vector<std::string> lines;
  AddWords(stock, ErrorOf(promise, told.record.stock), lines);
  AddWords(kHoldfast, ErrorOf(promise, told.record.holdfast), lines);
  if (!promise.log_says.empty()) {
    AddWords("Holdfast's log", TellingWarning(promise, told.record.holdfast), lines);
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
