#include "bench/control/line_protocol.h"

#include <malloc.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace holdfast {
namespace {

[[noreturn]] void Refuse(const std::string& line) {
  std::fprintf(stderr, "bench_control: a server does not understand \"%s\"\n", line.c_str());
  std::exit(1);
}

int64_t Microseconds(const timeval& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

// "1234 kB" of /proc/self/status, as a number.
int64_t StatusKb(absl::string_view field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (!absl::StartsWith(line, field)) continue;
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    int64_t kb = 0;
    if (words.size() > 1 && absl::SimpleAtoi(words[1], &kb)) return kb;
  }
  return 0;
}

std::string Cpu() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return absl::StrCat("cpu ", Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime));
}

std::string Memory() {
  return absl::StrCat("memory ", StatusKb("VmRSS:"), " ", StatusKb("VmHWM:"));
}

int NumberIn(const std::string& word, const std::string& line) {
  int number = 0;
  if (!absl::SimpleAtoi(word, &number) || number < 0) Refuse(line);
  return number;
}

std::string Answer(const std::string& line, DrivenServer& server) {
  if (line == "commit") {
    server.Commit();
    return "ok";
  }
  if (line == "cpu") return Cpu();
  if (line == "memory") return Memory();
  if (line == "admin") return absl::StrCat("admin ", server.AdminPort());
  if (line == "trim") {
    malloc_trim(0);
    return "ok";
  }
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() == 4 && words[0] == "load") {
    const ServedKind kind = words[1] == "clusters" ? ServedKind::kClusters : ServedKind::kEndpoints;
    server.Load(kind, NumberIn(words[2], line), static_cast<size_t>(NumberIn(words[3], line)));
    return "ok";
  }
  if (words.size() == 3 && words[0] == "prepare") {
    std::optional<int> number;
    if (words[1] != "all") number = NumberIn(words[1], line);
    server.Prepare(number, NumberIn(words[2], line));
    return "ok";
  }
  Refuse(line);
}

}  // namespace

void ServeLines(int port, DrivenServer& server) {
  std::cout << "listening " << port << std::endl;
  std::string line;
  while (std::getline(std::cin, line) && line != "quit") {
    std::cout << Answer(line, server) << std::endl;
  }
}

}  // namespace holdfast
