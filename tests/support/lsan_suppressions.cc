// What the leak sanitizer is told not to report in tests that make real calls.
//
// OpenSSL keeps a random generator for each thread and frees it as the thread ends. Threads of gRPC
// may end while the process does, and be seen in the middle of that.
//
// c-ares 1.18 never frees the name that it copies when it is asked for "localhost"; a plain gRPC
// channel to dns:///localhost leaks it too.
//
// Linked as a source, through holdfast_lsan_suppressions, as tsan_suppressions.cc is.

extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();

const char* __lsan_default_suppressions() { return "leak:CRYPTO_zalloc\nleak:libcares.so\n"; }
