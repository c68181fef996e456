// The control plane under measurement, in a process of its own: what a program has that embeds one.
#pragma once

namespace holdfast {

// Serves until the last line of stdin (line_protocol.h).
int RunOurServer();

}  // namespace holdfast
