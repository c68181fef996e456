// `holdfast probe`: calls through a channel, and what became of them.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

ExitCode RunProbe(const Arguments& arguments);

}  // namespace holdfast
