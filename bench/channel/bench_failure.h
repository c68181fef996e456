// How this bench ends when it cannot go on.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace holdfast {

[[noreturn]] inline void FailBench(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what.c_str());
  std::_Exit(1);
}

}  // namespace holdfast
