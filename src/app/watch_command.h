// holdfast watch TYPE/NAME...: an xDS client on the bootstrap that prints each watcher call.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

// Runs until a signal, the end of the input (--stdin) or of the output.
ExitCode RunWatch(const Arguments& arguments);

}  // namespace holdfast
