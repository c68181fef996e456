// What it costs to say how a fleet is: what somebody waits for who asks, and the memory in which
// the control plane keeps what its clients made of what they were sent.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast {

// A question to the control plane, by a program or by HTTP.
struct AnswerCost {
  std::string question;  // "holdfast ps"
  double wall_ms = 0;    // the median
  double cpu_ms = 0;     // of the program that asks; 0: none did
  size_t bytes = 0;      // of the answer
};

struct FleetCost {
  std::vector<AnswerCost> answers;
  double memory_mb = 0;  // resident, more than without clients
};

struct ReportCost {
  FleetCost good;       // every client runs the newest of everything
  FleetCost held_back;  // every client holds back every resource
  double floor_mb = 0;  // what as many streams take of a server that remembers nothing
};

struct ReportPlan {
  std::vector<std::string> ours;  // how they are started
  std::vector<std::string> floor;
  std::string program;  // holdfast
  int streams = 0;
  int resources = 0;
};

// An answer that is not what it should be ends the bench.
ReportCost MeasureReports(const ReportPlan& plan);

}  // namespace holdfast
