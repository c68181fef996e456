// A server under measurement, as a process of its own, driven line by line (line_protocol.h).
//
// Whatever it fails to do ends the bench. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace holdfast {

struct ServerMemory {
  int64_t rss_kb = 0;
  int64_t peak_rss_kb = 0;
};

class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& command);
  // Waits for its end.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& address() const { return address_; }

  // One line, answered with "ok".
  void Do(const std::string& line);
  // Microseconds of CPU so far, when it has been idle for a moment.
  int64_t SettledCpu();
  ServerMemory Memory();
  // Of ours.
  int AdminPort();

 private:
  void Say(const std::string& line);
  std::string Hear();
  // The numbers of its answer, which begins with the question.
  std::vector<int64_t> Ask(const std::string& question, size_t numbers);

  pid_t pid_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
  std::string address_;
};

}  // namespace holdfast
