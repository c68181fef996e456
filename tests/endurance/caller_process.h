// A process that calls (caller_main.cc), as the tests see it.
//
//   CallerProcess caller("holdfast", xds.address(), /*threads=*/4);
//   ...
//   caller.Report()->failed
//
// Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast {

struct CallReport {
  uint64_t calls = 0;
  uint64_t failed = 0;
  int64_t longest_ms = 0;
  std::set<std::string> peers;  // of the calls that were OK
  std::string first_failure;    // "14: the message"
};

class CallerProcess {
 public:
  // `whose` channel: "holdfast" or "debian". Calls xds:///pay.
  CallerProcess(const std::string& whose, const std::string& xds_address, int threads);
  // Ends it, if need be by force.
  ~CallerProcess();
  CallerProcess(const CallerProcess&) = delete;
  CallerProcess& operator=(const CallerProcess&) = delete;

  // What ended since the last report; nothing if the process is gone.
  std::optional<CallReport> Report();
  // Where one more call went; empty if it failed.
  std::string CallOnce();
  // Every sample of its metrics, by name and labels: `connected{server="a"}` -> "1".
  std::map<std::string, std::string> Metrics();
  // Ends its input and waits; how it ended: "exit 0", "signal 6".
  std::string Finish();

 private:
  // The fields of its answer; none if it does not answer.
  std::vector<std::string> Ask(const std::string& command);

  pid_t pid_ = -1;
  int socket_ = -1;
  std::string unread_;
};

}  // namespace holdfast
