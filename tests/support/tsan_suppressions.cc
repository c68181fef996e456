// What the thread sanitizer is told not to report in tests that use gRPC's completion queue.
//
// Debian's gRPC and abseil are compiled without the sanitizer. It sees their calls of libc, memmove
// among them, but not the atomics and futexes that put them in order. A line here names one such
// place, as narrowly as it can, and never one that our own code runs.
//
// Linked as a source, through holdfast_tsan_suppressions: an archive member that nobody refers to
// would be left out.

// Default visibility: the sanitizer's shared library looks for it.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions();

const char* __tsan_default_suppressions() {
  // The deadlock detector of absl::Mutex moves nodes of its graph under a spin lock.
  // The last copy of an absl::Status frees what all copies share: the count that says which is the
  // last is decremented inside the library, where it cannot be seen.
  return "race:absl::*::synchronization_internal::GraphCycles::\n"
         "race:libabsl_status.so\n"
         "race:absl::*::Status::Unref\n";
}
