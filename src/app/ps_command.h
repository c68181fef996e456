// holdfast ps: every client of a control plane, or of one process, and how it stands.
#pragma once

#include "app/command_line.h"
#include "app/exit_codes.h"

namespace holdfast {

ExitCode RunPs(const Arguments& arguments);

}  // namespace holdfast
