// The log of holdfast/xds/log.h that everybody gets who brings none of their own: lines on stderr.
//
// The environment is read in StderrLog() alone; the rest is functions of their arguments, and a
// sink for any file descriptor.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "holdfast/xds/log.h"

namespace holdfast {

inline constexpr absl::string_view kLogLevelsVariable = "HOLDFAST_LOG";
inline constexpr absl::string_view kLogFormatVariable = "HOLDFAST_LOG_FORMAT";

enum class LogFormat { kText, kJson };

struct LogSettings {
  Severity least = Severity::kInfo;
  std::map<std::string, Severity, std::less<>> least_of_component;
  LogFormat format = LogFormat::kText;

  bool Wants(Severity severity, absl::string_view component) const;

  friend bool operator==(const LogSettings&, const LogSettings&) = default;
};

struct ParsedLogSettings {
  LogSettings settings;
  std::vector<std::string> warnings;  // one line each
};

// `levels` is a list: a severity for all, "component=severity" for one ("info,client=debug"). Later
// entries win. A variable with a mistake is warned of and counts as unset.
ParsedLogSettings ReadLogSettings(const std::optional<std::string>& levels,
                                  const std::optional<std::string>& format);

// One line with its end; time is UTC, in milliseconds (RFC 3339):
//   2026-01-02T03:04:05.678Z WARNING client: xds server "cp:18000": stream closed
//   {"time":"2026-01-02T03:04:05.678Z","severity":"WARNING","component":"client","text":"..."}
// Whatever `text` holds, it stays one line of valid UTF-8.
std::string LogLine(LogFormat format, absl::Time time, Severity severity,
                    absl::string_view component, absl::string_view text);

// Thread-safe: each line is one write, so that lines of several threads do not mix.
class DescriptorLog final : public LogSink {
 public:
  // Does not own the descriptor.
  DescriptorLog(int descriptor, LogSettings settings);

  void Log(Severity severity, absl::string_view component, absl::string_view text) override;
  bool Wants(Severity severity, absl::string_view component) const override;

 private:
  const int descriptor_;
  const LogSettings settings_;
};

}  // namespace holdfast
