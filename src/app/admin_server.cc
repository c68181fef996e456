#include "app/admin_server.h"

#include <grpcpp/grpcpp.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "holdfast/xds/admin.h"

namespace holdfast {
namespace {

struct HostAndPort {
  std::string host;  // an IPv6 address without its brackets
  std::string port;
  std::string written_host;  // with them

  std::string WithPort(int number) const { return absl::StrCat(written_host, ":", number); }
};

absl::Status NoAddress(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      Quoted(text), ": ", why, "; write HOST:PORT, as in 127.0.0.1:0 for any free port"));
}

absl::StatusOr<HostAndPort> ParseAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  if (colon == absl::string_view::npos || (bracket != absl::string_view::npos && colon < bracket)) {
    return NoAddress(text, "there is no port");
  }
  HostAndPort address;
  absl::string_view host = text.substr(0, colon);
  address.written_host = std::string(host);
  address.port = std::string(text.substr(colon + 1));
  uint32_t number = 0;
  if (!absl::SimpleAtoi(address.port, &number) || number > 65535) {
    return NoAddress(text, absl::StrCat(Quoted(address.port), " is no port"));
  }
  const bool has_brackets = absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]");
  if (!has_brackets && absl::StrContains(host, ":")) {
    return NoAddress(text, "an IPv6 address stands in brackets");
  }
  if (host.empty()) return NoAddress(text, "there is no host");
  address.host = std::string(host);
  return address;
}

absl::Status CannotListen(absl::string_view address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", why));
}

// gRPC keeps to itself why it cannot listen, so we try first.
absl::Status TryToListen(const HostAndPort& address, absl::string_view text) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (problem != 0) return CannotListen(text, ::gai_strerror(problem));
  absl::Status status;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    const int socket = ::socket(next->ai_family, next->ai_socktype | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    const bool listens = socket >= 0 && ::bind(socket, next->ai_addr, next->ai_addrlen) == 0 &&
                         ::listen(socket, 1) == 0;
    status = listens ? absl::OkStatus() : CannotListen(text, std::strerror(errno));
    if (socket >= 0) ::close(socket);
    if (listens) break;
  }
  ::freeaddrinfo(found);
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(absl::string_view address) {
  const absl::StatusOr<HostAndPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  const absl::Status can_listen = TryToListen(*parsed, address);
  if (!can_listen.ok()) return can_listen;

  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(std::string(address), grpc::InsecureServerCredentials(), &port);
  // Without it a second process would share the port, and each would get half of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  AddAdminServices(&builder);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return CannotListen(address, "gRPC refuses it");
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(server), parsed->WithPort(port)));
}

AdminServer::AdminServer(std::unique_ptr<grpc::Server> server, std::string address)
    : server_(std::move(server)), address_(std::move(address)) {}

AdminServer::~AdminServer() { server_->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME)); }

}  // namespace holdfast
