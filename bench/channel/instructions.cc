#include "bench/channel/instructions.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bench/channel/bench_failure.h"
#include "bench/channel/child_process.h"

namespace holdfast {
namespace {

struct Counted {
  int64_t all = 0;
  int64_t loop = 0;
};

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_channel.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) FailBench("no directory for what callgrind writes");
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// callgrind writes a file a thread.
Counted SumOf(const std::filesystem::path& directory) {
  Counted sum;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path());
    std::string line;
    bool is_loop = false;
    int64_t total = 0;
    while (std::getline(file, line)) {
      absl::string_view text = line;
      if (absl::ConsumePrefix(&text, "totals:") && !absl::SimpleAtoi(text, &total)) {
        FailBench(absl::StrCat("callgrind wrote \"", line, "\""));
      }
      // The name stands where the function is first spoken of: "fn=(7) ..." or "cfn=(7) ...".
      is_loop = is_loop || absl::StrContains(line, "ControlLoop::State::Run(");
    }
    sum.all += total;
    if (is_loop) sum.loop += total;
  }
  if (sum.all == 0) FailBench("callgrind wrote nothing");
  return sum;
}

Counted Count(const CountedCalls& calls, int number) {
  const ScratchDirectory directory;
  std::vector<std::string> command = {
      "valgrind", "--tool=callgrind", "-q", "--separate-threads=yes",
      absl::StrCat("--callgrind-out-file=", (directory.path() / "out").string())};
  command.insert(command.end(), calls.caller.begin(), calls.caller.end());
  {
    ChildProcess client(command);
    client.Do(absl::StrCat("calls ", calls.kind, " ", number));
    // The first one waits for more than that.
    if (calls.wait_once && client.AskOne("waited") < number - 1) {
      FailBench("calls that should have waited did not");
    }
  }
  return SumOf(directory.path());
}

// Threads that get into each other's way only add to it.
Counted CountLeast(const CountedCalls& calls, int number) {
  std::vector<Counted> rounds;
  for (int i = 0; i < calls.rounds; ++i) rounds.push_back(Count(calls, number));
  return *std::min_element(rounds.begin(), rounds.end(), [](const Counted& a, const Counted& b) {
    return a.all - a.loop < b.all - b.loop;
  });
}

}  // namespace

CallCost CountInstructions(const CountedCalls& calls) {
  const Counted few = CountLeast(calls, calls.few);
  const Counted many = CountLeast(calls, calls.many);
  const double difference = calls.many - calls.few;
  return {.all = static_cast<double>(many.all - few.all) / difference,
          .loop = static_cast<double>(many.loop - few.loop) / difference};
}

}  // namespace holdfast
