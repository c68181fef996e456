// HOLDFAST_CHECK: a promise the code makes to itself, kept in release builds too.
//
// For programmer errors only. Anything that comes from a network, a file or a user is an
// absl::Status.
#pragma once

#include <cstdio>
#include <cstdlib>

#define HOLDFAST_CHECK(condition)                                                        \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
