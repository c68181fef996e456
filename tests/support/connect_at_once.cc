// A connect() to this machine that is over when it returns, for programs of tests with the address
// sanitizer.
//
// gRPC 1.51 looks at the errno of a connect() that is under way only after it has allocated memory.
// The sanitizer's allocator may set errno meanwhile, and then a connection that would have been
// made fails, about once in ten thousand, with the reason of something else ("No such file or
// directory"). Where nothing is under way, gRPC does not look.
//
// Linked as a source, through holdfast_lsan_suppressions.
#if defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace {

bool IsThisMachine(const sockaddr* address, socklen_t length) {
  if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(address);
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) || IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
  }
  return false;
}

}  // namespace

// It takes the place of the one in libc for all libraries of the process.
extern "C" __attribute__((visibility("default"))) int connect(int socket, const sockaddr* address,
                                                              socklen_t length) {
  using Connect = int (*)(int, const sockaddr*, socklen_t);
  static const auto real = reinterpret_cast<Connect>(::dlsym(RTLD_NEXT, "connect"));
  const int result = real(socket, address, length);
  if (result == 0 || errno != EINPROGRESS || !IsThisMachine(address, length)) return result;
  // What is refused, or takes long, goes on as gRPC expects it to.
  constexpr int kPatienceMs = 200;
  pollfd over = {.fd = socket, .events = POLLOUT, .revents = 0};
  if (::poll(&over, 1, kPatienceMs) == 1 && over.revents == POLLOUT) return 0;
  errno = EINPROGRESS;
  return -1;
}

#endif
