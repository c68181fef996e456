// Where Holdfast's log lines go.
#pragma once

#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

enum class Severity { kDebug, kInfo, kWarning, kError };

// "DEBUG", "INFO", "WARNING", "ERROR".
HOLDFAST_EXPORT absl::string_view NameOf(Severity severity);

class HOLDFAST_EXPORT LogSink {
 public:
  virtual ~LogSink() = default;

  // `component` is the part that speaks ("client"); `text` is one line without an end of line.
  // Called from several threads, never with a lock of Holdfast held. Must not block.
  virtual void Log(Severity severity, absl::string_view component, absl::string_view text) = 0;

  // Whether such lines are worth making: at kDebug there is one for each event of a client.
  virtual bool Wants(Severity severity, absl::string_view component) const {
    static_cast<void>(component);
    return severity != Severity::kDebug;
  }
};

// The default: lines on stderr, as HOLDFAST_LOG ("info", "info,client=debug") and
// HOLDFAST_LOG_FORMAT ("text", "json") say. Both are read once.
HOLDFAST_EXPORT LogSink& StderrLog();

}  // namespace holdfast
