#include "runtime/stderr_log.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "base/did_you_mean.h"
#include "base/json_text.h"
#include "base/outside_text.h"
#include "runtime/environment.h"

namespace holdfast {
namespace {

// More than the longest NACK; a log line beyond it helps nobody.
constexpr size_t kMostTextBytes = 64 * 1024;

// What we log under ourselves; programs may have others.
constexpr absl::string_view kComponents[] = {"client", "channel", "control", "log"};
constexpr absl::string_view kSeverities[] = {"debug", "info", "warning", "error"};
constexpr absl::string_view kFormats[] = {"text", "json"};

// "; did you mean info?", or nothing.
std::string Suggestion(absl::string_view word, absl::Span<const absl::string_view> known) {
  const std::optional<absl::string_view> meant = DidYouMean(absl::AsciiStrToLower(word), known);
  return meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : "";
}

std::optional<Severity> ReadSeverity(absl::string_view text) {
  if (absl::EqualsIgnoreCase(text, "warn")) return Severity::kWarning;
  for (const Severity severity :
       {Severity::kDebug, Severity::kInfo, Severity::kWarning, Severity::kError}) {
    if (absl::EqualsIgnoreCase(text, NameOf(severity))) return severity;
  }
  return std::nullopt;
}

// If there is a mistake, a suggestion or "", and nothing to rely on in `settings`.
std::optional<std::string> ReadLevels(absl::string_view levels, LogSettings& settings) {
  for (const absl::string_view entry : absl::StrSplit(levels, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const bool is_for_all = !absl::StrContains(entry, '=');
    const absl::string_view word = absl::StripAsciiWhitespace(is_for_all ? entry : parts.second);
    const std::optional<Severity> severity = ReadSeverity(word);
    const absl::string_view component = absl::StripAsciiWhitespace(parts.first);
    if (!severity.has_value() || component.empty()) {
      return Suggestion(word, kSeverities);
    }
    if (is_for_all) {
      settings.least = *severity;
    } else {
      settings.least_of_component[std::string(component)] = *severity;
    }
  }
  return std::nullopt;
}

void WarnOfUnknownComponents(ParsedLogSettings& parsed) {
  for (const auto& [component, severity] : parsed.settings.least_of_component) {
    if (absl::c_linear_search(kComponents, component)) continue;
    const std::string suggestion = Suggestion(component, kComponents);
    parsed.warnings.push_back(absl::StrCat(
        kLogLevelsVariable, ": nothing of Holdfast logs as ", Quoted(component),
        suggestion.empty() ? absl::StrCat("; there are ", absl::StrJoin(kComponents, ", "))
                           : suggestion));
  }
}

std::optional<LogFormat> ReadFormat(absl::string_view text) {
  if (absl::EqualsIgnoreCase(text, "text")) return LogFormat::kText;
  if (absl::EqualsIgnoreCase(text, "json")) return LogFormat::kJson;
  return std::nullopt;
}

}  // namespace

bool LogSettings::Wants(Severity severity, absl::string_view component) const {
  const auto found = least_of_component.find(component);
  return severity >= (found == least_of_component.end() ? least : found->second);
}

ParsedLogSettings ReadLogSettings(const std::optional<std::string>& levels,
                                  const std::optional<std::string>& format) {
  ParsedLogSettings parsed;
  if (levels.has_value()) {
    if (const std::optional<std::string> suggestion = ReadLevels(*levels, parsed.settings)) {
      parsed.settings = LogSettings();
      parsed.warnings.push_back(
          absl::StrCat(kLogLevelsVariable,
                       ": must be a list of debug, info, warning or error, such as "
                       "\"info,client=debug\" (got ",
                       Quoted(*levels), *suggestion, "); treated as unset, which means info"));
    }
    WarnOfUnknownComponents(parsed);
  }
  if (format.has_value()) {
    const std::optional<LogFormat> read = ReadFormat(*format);
    parsed.settings.format = read.value_or(LogFormat::kText);
    if (!read.has_value()) {
      parsed.warnings.push_back(absl::StrCat(kLogFormatVariable, ": must be text or json (got ",
                                             Quoted(*format), Suggestion(*format, kFormats),
                                             "); treated as unset, which means text"));
    }
  }
  return parsed;
}

std::string LogLine(LogFormat format, absl::Time time, Severity severity,
                    absl::string_view component, absl::string_view text) {
  const std::string when = absl::FormatTime("%Y-%m-%d%ET%H:%M:%E3SZ", time, absl::UTCTimeZone());
  const std::string who = BoundedText(component);
  const std::string what = BoundedText(text, kMostTextBytes);
  switch (format) {
    case LogFormat::kText:
      return absl::StrCat(when, " ", NameOf(severity), " ", who, ": ", what, "\n");
    case LogFormat::kJson:
      return absl::StrCat("{\"time\":\"", when, "\",\"severity\":\"", NameOf(severity),
                          "\",\"component\":", JsonText(who), ",\"text\":", JsonText(what), "}\n");
  }
  return "";
}

DescriptorLog::DescriptorLog(int descriptor, LogSettings settings)
    : descriptor_(descriptor), settings_(std::move(settings)) {}

void DescriptorLog::Log(Severity severity, absl::string_view component, absl::string_view text) {
  if (!Wants(severity, component)) return;
  const std::string line = LogLine(settings_.format, absl::Now(), severity, component, text);
  absl::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    // A log that cannot be written has nobody to complain to.
    if (written <= 0) return;
    rest.remove_prefix(static_cast<size_t>(written));
  }
}

bool DescriptorLog::Wants(Severity severity, absl::string_view component) const {
  return settings_.Wants(severity, component);
}

LogSink& StderrLog() {
  // Never destroyed: others may log while the process exits.
  static DescriptorLog* const log = [] {
    ParsedLogSettings parsed =
        ReadLogSettings(ReadVariable(kLogLevelsVariable), ReadVariable(kLogFormatVariable));
    auto* const made = new DescriptorLog(STDERR_FILENO, std::move(parsed.settings));
    for (const std::string& warning : parsed.warnings) {
      made->Log(Severity::kWarning, "log", warning);
    }
    return made;
  }();
  return *log;
}

}  // namespace holdfast
