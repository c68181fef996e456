// Runs a program from its start to its end, as somebody at a terminal does.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

struct ProgramRun {
  int exit_code = 0;
  std::string output;  // of stdout
  double wall_ms = 0;
  double cpu_ms = 0;  // of the program itself, user and system
};

// The first word is its path. What cannot be started, or is ended by a signal, ends the bench.
ProgramRun RunProgram(const std::vector<std::string>& command);

}  // namespace holdfast
