// Where ps and why get what they know from: a control plane (--server) or one process (--target).
#pragma once

#include <cstddef>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "app/command_line.h"
#include "app/exit_codes.h"
#include "app/result_lines.h"

namespace holdfast {

inline constexpr absl::string_view kDefaultServer = "127.0.0.1:18080";

// How to end after that: nobody there, denied, or an answer that is none.
ExitCode ExitCodeOf(const absl::Status& status);

// "holdfast ps: <sentence>" on stderr.
void SayAs(absl::string_view command, absl::string_view sentence);

// From now on a write to a reader that left is an error, and ends nobody.
void IgnoreBrokenPipes();

// `result`, unless it could not be written. Whoever stops reading has seen enough.
ExitCode EndOf(absl::string_view command, const ResultLines& lines, ExitCode result);

// An address that nobody could have: usage.
std::optional<ExitCode> CheckAddress(absl::string_view command, absl::string_view option,
                                     absl::string_view address);

// Of the terminal that stdout is; 0 if it is none.
size_t StdoutWidth();

}  // namespace holdfast
