// holdfast serve --config DIR: a control plane that serves a directory of files.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

// Runs until a signal.
ExitCode RunServe(const Arguments& arguments);

}  // namespace holdfast
