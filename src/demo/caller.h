// A client of the demo: a process that calls the health service of a target without end, and says
// what became of its calls when it is asked.
#pragma once

#include <string>

namespace holdfast {

struct CallerOptions {
  bool is_stock = false;  // grpc::CreateChannel, else holdfast::CreateChannel
  bool calls_once = false;
  std::string target;
};

// Until stdin ends; each line there is answered with a CallReport. One that calls once writes its
// Answer instead, and then waits for that end. The bootstrap is that of the environment.
void RunCaller(const CallerOptions& options);

}  // namespace holdfast
