// holdfast why: the chain from a target to an address, the first broken link, and what to do next.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

ExitCode RunWhy(const Arguments& arguments);

}  // namespace holdfast
