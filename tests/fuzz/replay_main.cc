// Runs a fuzz target without libFuzzer, as a test that takes seconds.
//
//   replay_envelope tests/fuzz/corpus/envelope    every seed, its truncations and mutations
//   replay_envelope replay_envelope.failed        one file, as it is
//
// The same seeds give the same inputs in the same order; how many mutations are tried depends on
// the time they take. An input that ends the process is left in ./replay_envelope.failed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Sanitizers end the process without a signal; they call this first. Absent without them.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

constexpr std::chrono::seconds kTruncationTime{2};
constexpr std::chrono::seconds kMutationTime{3};
constexpr int kMutationsPerSeed = 3000;
constexpr int kMostEditsPerMutation = 6;

struct Seed {
  std::string name;
  Bytes bytes;
};

// What the process may die of, and where to keep it; for the handlers below.
const uint8_t* current_data = nullptr;
size_t current_size = 0;
std::string failed_input_path;

// Only calls that are allowed in a signal handler.
void SaveCurrentInput() {
  const int file = open(failed_input_path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0) return;
  const ssize_t written = write(file, current_data, current_size);
  close(file);
  constexpr char kText[] = "\nthe input that ended the process was saved as *.failed\n";
  if (written >= 0 && write(STDERR_FILENO, kText, sizeof(kText) - 1) < 0) return;
}

void SaveAndDie(int signal_number) {
  SaveCurrentInput();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void CatchDeath() {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(SaveCurrentInput);
    return;
  }
  // A stack of its own: deep nesting may have used up the other one.
  static char stack[1 << 16];
  const stack_t handler_stack{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof(stack)};
  sigaltstack(&handler_stack, nullptr);
  struct sigaction action {};
  action.sa_handler = SaveAndDie;
  action.sa_flags = SA_ONSTACK;
  for (const int signal_number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(signal_number, &action, nullptr);
  }
}

// A copy that is exactly as long as the input, so that a sanitizer sees the first byte behind it.
void Run(const uint8_t* data, size_t size) {
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
  if (size > 0) std::memcpy(copy.get(), data, size);
  current_data = copy.get();
  current_size = size;
  LLVMFuzzerTestOneInput(copy.get(), size);
}

Seed ReadSeed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {path.filename().string(),
          Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())};
}

// Sorted, because a directory has no order.
std::vector<Seed> ReadSeeds(const std::filesystem::path& folder) {
  std::vector<Seed> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) seeds.push_back(ReadSeed(entry.path()));
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

// Every length of every seed, the shortest lengths of all seeds first: when time runs out, each
// seed has had its share.
size_t RunTruncations(const std::vector<Seed>& seeds, size_t& left_out) {
  const Clock::time_point end = Clock::now() + kTruncationTime;
  size_t longest = 0;
  for (const Seed& seed : seeds) longest = std::max(longest, seed.bytes.size());
  size_t ran = 0;
  for (size_t length = 0; length < longest; ++length) {
    for (const Seed& seed : seeds) {
      if (length >= seed.bytes.size()) continue;
      if (Clock::now() < end) {
        Run(seed.bytes.data(), length);
        ++ran;
      } else {
        ++left_out;
      }
    }
  }
  return ran;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Seed>& seeds) : seeds_(seeds) {}

  // The same for the same seed and number, whatever was asked before.
  Bytes Mutate(size_t seed, int number) {
    random_.seed(static_cast<std::mt19937_64::result_type>(number) * 1000003 + seed);
    Bytes bytes = seeds_[seed].bytes;
    const size_t edits = 1 + Below(kMostEditsPerMutation);
    for (size_t i = 0; i < edits; ++i) Edit(bytes);
    return bytes;
  }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void Edit(Bytes& bytes) {
    if (bytes.empty()) {
      bytes.push_back(static_cast<uint8_t>(random_()));
      return;
    }
    const size_t at = Below(bytes.size());
    const auto position = bytes.begin() + static_cast<ptrdiff_t>(at);
    switch (Below(7)) {
      case 0:  // flip a bit
        bytes[at] ^= static_cast<uint8_t>(1u << Below(8));
        break;
      case 1:  // any byte
        bytes[at] = static_cast<uint8_t>(random_());
        break;
      case 2:  // bytes at the edges of lengths, varints and text
        bytes[at] = kEdges[Below(std::size(kEdges))];
        break;
      case 3:  // remove a few
        bytes.erase(position, position + static_cast<ptrdiff_t>(
                                             1 + Below(std::min<size_t>(16, bytes.size() - at))));
        break;
      case 4:  // insert one
        bytes.insert(position, kEdges[Below(std::size(kEdges))]);
        break;
      case 5:  // a length that promises more than there is
        bytes.insert(position, {0xff, 0xff, 0xff, 0xff, static_cast<uint8_t>(Below(16))});
        break;
      default:  // a piece of another seed
        InsertPiece(bytes, at);
        break;
    }
  }

  void InsertPiece(Bytes& bytes, size_t at) {
    const Bytes& other = seeds_[Below(seeds_.size())].bytes;
    if (other.empty()) return;
    const size_t from = Below(other.size());
    const size_t length = 1 + Below(std::min<size_t>(64, other.size() - from));
    const auto piece = other.begin() + static_cast<ptrdiff_t>(from);
    bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), piece,
                 piece + static_cast<ptrdiff_t>(length));
  }

  static constexpr uint8_t kEdges[] = {0x00, 0x01, 0x0a, 0x12, 0x7f, 0x80, 0xc0, 0xff,
                                       '"',  '\\', '{',  '}',  '[',  ']',  ',',  '0'};
  const std::vector<Seed>& seeds_;
  std::mt19937_64 random_;
};

size_t RunMutations(const std::vector<Seed>& seeds) {
  const Clock::time_point end = Clock::now() + kMutationTime;
  Mutator mutator(seeds);
  size_t ran = 0;
  for (int number = 0; number < kMutationsPerSeed; ++number) {
    for (size_t seed = 0; seed < seeds.size(); ++seed) {
      if (Clock::now() >= end) return ran;
      const Bytes bytes = mutator.Mutate(seed, number);
      Run(bytes.data(), bytes.size());
      ++ran;
    }
  }
  return ran;
}

int ReplayFolder(const std::filesystem::path& folder) {
  const std::vector<Seed> seeds = ReadSeeds(folder);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", folder.c_str());
    return 1;
  }
  for (const Seed& seed : seeds) Run(seed.bytes.data(), seed.bytes.size());
  size_t left_out = 0;
  const size_t truncations = RunTruncations(seeds, left_out);
  const size_t mutations = RunMutations(seeds);
  std::printf("%zu seeds, %zu truncations (%zu left out for time), %zu mutations\n", seeds.size(),
              truncations, left_out, mutations);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "%s FOLDER-OF-SEEDS | FILE\n", argv[0]);
    return 64;
  }
  failed_input_path = std::filesystem::path(argv[0]).filename().string() + ".failed";
  CatchDeath();
  if (std::filesystem::is_directory(argv[1])) return ReplayFolder(argv[1]);
  const Seed seed = ReadSeed(argv[1]);
  Run(seed.bytes.data(), seed.bytes.size());
  std::printf("%s: %zu bytes, no complaint\n", argv[1], seed.bytes.size());
  return 0;
}
