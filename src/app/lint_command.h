// holdfast lint DIR|FILE...: everything that is wrong with a configuration directory.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

ExitCode RunLint(const Arguments& arguments);

}  // namespace holdfast
