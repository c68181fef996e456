#include "demo/story/act_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo/story/time_text.h"

namespace holdfast {
namespace {

constexpr absl::string_view kIndent = "     ";

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::string SilenceText(absl::string_view name, const ClientRecord& client) {
  return client.answer.has_value()
             ? absl::StrCat(name, " was told after ", TimeText(client.answer->after), ": ",
                            client.answer->text)
             : absl::StrCat(name, " has not heard anything for ", TimeText(client.silence));
}

}  // namespace

std::string StockName(absl::string_view version) { return absl::StrCat("gRPC ", version); }

size_t ColumnsOf(absl::string_view text) {
  size_t columns = 0;
  for (const char byte : text) columns += StartsCharacter(byte) ? 1 : 0;
  return columns;
}

std::string CutTo(absl::string_view text, size_t columns) {
  if (ColumnsOf(text) <= columns) return std::string(text);
  std::string cut;
  size_t used = 0;
  for (const char byte : text) {
    if (StartsCharacter(byte) && ++used >= columns) break;
    cut += byte;
  }
  return columns == 0 ? "" : cut + "…";
}

std::vector<std::string> Heading(const Act& act, size_t number, size_t count, const Style& style) {
  std::vector<std::string> lines = {
      "", style.Bold(absl::StrFormat("%d/%d  %s", number, count, act.title))};
  for (const std::string& line : act.telling) lines.push_back(absl::StrCat(kIndent, line));
  return lines;
}

std::string TextOf(const LiveLine& line, size_t columns, const Style& style) {
  const bool is_well = line.now.failed == 0 && line.now.calls > 0;
  const std::string counts =
      absl::StrFormat("%-12s %5.0f calls/s %6d ok %6d failed", line.name, line.rate,
                      line.sum.calls.calls - line.sum.calls.failed, line.sum.calls.failed);
  std::string text = absl::StrCat(counts, line.now.failed > 0 ? "  " : "",
                                  line.now.failed > 0 ? line.now.error : "");
  if (columns > 0) {
    const size_t margin = kIndent.size() + 3;
    text = CutTo(text, columns > margin ? columns - margin : 0);
  }
  return absl::StrCat(kIndent, style.Marked(is_well, text));
}

std::vector<std::string> Closing(const Act& act, const ActRecord& record, const Style& style) {
  std::vector<std::string> lines;
  if (!act.promise.answer_says.empty()) {
    lines.push_back(absl::StrCat(kIndent, SilenceText(kHoldfast, record.holdfast)));
    lines.push_back(absl::StrCat(kIndent, SilenceText("Stock gRPC", record.stock)));
  }
  if (!act.promise.log_says.empty()) {
    lines.push_back(style.Faint(
        absl::StrCat(kIndent, "Holdfast's log: ", TellingWarning(act.promise, record.holdfast))));
  }
  if (!act.promise.error_says.empty() && record.holdfast.calls.failed > 0) {
    lines.push_back(style.Faint(absl::StrCat(kIndent, "Holdfast: ", record.holdfast.calls.error)));
    lines.push_back(style.Faint(absl::StrCat(kIndent, "Stock gRPC: ", record.stock.calls.error)));
  }
  if (record.stock.was_begun_anew) {
    lines.push_back(absl::StrCat(
        kIndent, "Stock gRPC does not recover although all is repaired: it is started anew."));
  }
  return lines;
}

}  // namespace holdfast
