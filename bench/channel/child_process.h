// A process of the bench, driven line by line: a line in, a line out.
//
// Whatever it fails to do ends the bench. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace holdfast {

class ChildProcess {
 public:
  // The first word is looked for in PATH.
  explicit ChildProcess(const std::vector<std::string>& command);
  // Ends its input and waits for its end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  // A line that is answered with "ok".
  void Do(const std::string& line);
  // The numbers of the answer, which begins with the first word of the line.
  std::vector<int64_t> Ask(const std::string& line);
  int64_t AskOne(const std::string& line) { return Ask(line).at(0); }
  // The two halves of AskOne, for what happens in between.
  void BeginAsk(const std::string& line) { Say(line); }
  int64_t EndAsk(const std::string& line) { return NumbersIn(Hear(), line).at(0); }

 private:
  void Say(const std::string& line);
  std::string Hear();
  std::vector<int64_t> NumbersIn(const std::string& answer, const std::string& line) const;

  std::string name_;
  pid_t pid_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
};

// Where the program of the bench is: its processes are all the same program.
std::string ThisProgram();

// Of all threads of a process, since it began: how often one waited and was woken.
int64_t VoluntarySwitches(pid_t pid);

}  // namespace holdfast
