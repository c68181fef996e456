// How a bench ends that cannot go on.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace holdfast {

[[noreturn]] inline void FailBench(const std::string& what) {
  std::fprintf(stderr, "bench_control: %s\n", what.c_str());
  std::_Exit(1);
}

}  // namespace holdfast
