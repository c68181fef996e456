// How many instructions a call takes: the same on a busy machine as on an idle one.
//
// Clients run under callgrind, with few calls and with many, several of each; the difference of the
// least is what calls cost once everything is warm.
#pragma once

#include <string>
#include <vector>

namespace holdfast {

// Of a call, counted over all threads of the client's process.
struct CallCost {
  double all = 0;
  // Of those, the ones of Holdfast's loop thread. It looks into its queue every 10 ms, and under
  // callgrind 10 ms are very few calls.
  double loop = 0;

  double callers() const { return all - loop; }
};

struct CountedCalls {
  std::vector<std::string> caller;  // the command of a client
  std::string kind;                 // of bench/channel/caller.h
  bool wait_once = false;           // every call has to wait once
  int few = 300;
  int many = 1300;
  int rounds = 3;
};

CallCost CountInstructions(const CountedCalls& calls);

}  // namespace holdfast
