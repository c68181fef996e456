// What the program tells the shell: the numbers of sysexits.h where it has one.
#pragma once

namespace holdfast {

enum class ExitCode : int {
  kFine = 0,
  kUnexpected = 1,
  kUsage = 64,
  kBadInput = 65,
  kUnreachable = 69,
  kDenied = 77,
  kBadConfig = 78,
  kProblemsFound = 79,
};

}  // namespace holdfast
