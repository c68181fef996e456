#include "app/watch_event.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "holdfast/xds/error.h"

namespace holdfast {
namespace {

constexpr absl::string_view kReset = "\x1b[0m";
constexpr int kServerWidth = 22;  // "[::1]:18000" and any IPv4 address with its port

// RFC 3339 in UTC, with milliseconds.
std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

void AppendMember(absl::string_view key, absl::string_view value, std::string& out) {
  absl::StrAppend(&out, ",\"", key, "\":", JsonText(value));
}

// What happened in a word, with a sign and a colour that mean the same.
struct Word {
  absl::string_view sign;
  absl::string_view word;  // all equally long
  absl::string_view colour;
};
constexpr Word kUpdated = {"✔", "updated", "\x1b[32m"};  // a version to use from now on
constexpr Word kCleared = {"✔", "cleared", "\x1b[32m"};  // the error is over
constexpr Word kKeeping = {"▲", "keeping", "\x1b[33m"};  // an error, and the last version in use
constexpr Word kFailed = {"✖", "failed ", "\x1b[31m"};   // nothing to use

const Word& WordFor(const WatchEvent& event) {
  if (event.kind == WatchEvent::Kind::kResourceChanged) {
    return event.status.ok() ? kUpdated : kFailed;
  }
  return event.status.ok() ? kCleared : kKeeping;
}

// The column beside it already names the resource, and every line would name the same node.
std::string ShortErrorText(const absl::Status& status, const std::optional<ErrorDetail>& detail) {
  if (!detail.has_value()) return BoundedText(std::string(status.message()));
  return absl::StrCat(BoundedText(detail->text), detail->consequence.empty() ? "" : "; ",
                      detail->consequence);
}

std::string DetailText(const WatchEvent& event, bool is_wide) {
  const std::string version =
      event.version.empty() ? "" : absl::StrCat("version ", BoundedText(event.version));
  if (event.status.ok()) return version;
  const std::optional<ErrorDetail> detail = DetailOf(event.status);
  return absl::StrCat(
      absl::StatusCodeToString(event.status.code()),
      detail.has_value() ? absl::StrCat(" (", NameOf(detail->cause), ")") : "", ": ",
      is_wide ? std::string(event.status.message()) : ShortErrorText(event.status, detail));
}

std::string ResourceText(const WatchEvent& event) {
  return absl::StrCat(event.type, "/", BoundedText(event.name),
                      event.watcher == 1 ? "" : absl::StrCat("#", event.watcher));
}

}  // namespace

std::string JsonLine(const WatchEvent& event) {
  const bool is_change = event.kind == WatchEvent::Kind::kResourceChanged;
  std::string line =
      absl::StrCat("{\"event\":", is_change ? "\"resource_changed\"" : "\"ambient_error\"");
  AppendMember("type", event.type, line);
  AppendMember("name", event.name, line);
  if (event.watcher != 1) absl::StrAppend(&line, ",\"watcher\":", event.watcher);
  if (!event.status.ok()) {
    absl::StrAppend(
        &line, ",\"error\":{\"code\":", JsonText(absl::StatusCodeToString(event.status.code())),
        ",\"message\":", JsonText(event.status.message()), "}");
    const std::optional<ErrorDetail> detail = DetailOf(event.status);
    if (detail.has_value()) AppendMember("reason", NameOf(detail->cause), line);
  } else if (is_change) {
    AppendMember("version", event.version, line);
  } else {
    line += ",\"error\":null";
  }
  AppendMember("server", event.server, line);
  AppendMember("time", TimeText(event.time), line);
  return line += '}';
}

std::string TableHeader(const TableStyle& style) {
  const int width = static_cast<int>(style.resource_width);
  std::string line = absl::StrFormat("%-24s  %-9s  %-*s  ", "TIME", "EVENT", width, "RESOURCE");
  if (style.is_wide) absl::StrAppendFormat(&line, "%-*s  ", kServerWidth, "SERVER");
  return line += "DETAIL";
}

std::string TableLine(const WatchEvent& event, const TableStyle& style) {
  const Word& word = WordFor(event);
  const int width = static_cast<int>(style.resource_width);
  std::string line = absl::StrCat(TimeText(event.time), "  ", style.has_colour ? word.colour : "",
                                  word.sign, " ", word.word, style.has_colour ? kReset : "", "  ");
  absl::StrAppendFormat(&line, "%-*s  ", width, ResourceText(event));
  if (style.is_wide) absl::StrAppendFormat(&line, "%-*s  ", kServerWidth, event.server);
  return line += DetailText(event, style.is_wide);
}

}  // namespace holdfast
