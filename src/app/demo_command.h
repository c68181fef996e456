// `holdfast demo`: an outage, told with two clients side by side.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

ExitCode RunDemo(const Arguments& arguments);

// The clients of the demo are processes of this program too; nobody else has a use for it.
ExitCode RunDemoCaller(const Arguments& arguments);

}  // namespace holdfast
