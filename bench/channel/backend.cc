#include "bench/channel/backend.h"

#include <arpa/inet.h>
#include <grpcpp/security/server_credentials.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "bench/channel/bench_failure.h"

namespace holdfast {

Backend::Backend() {
  grpc::ServerBuilder builder;
  // gRPC does not say when a connection comes, so they are taken for it.
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      grpc::InsecureServerCredentials());
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  HOLDFAST_CHECK(server_ != nullptr);

  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  HOLDFAST_CHECK(bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  HOLDFAST_CHECK(listen(socket_, SOMAXCONN) == 0);
  HOLDFAST_CHECK(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Accept(); });
}

Backend::~Backend() {
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  close(socket_);
  server_->Shutdown(std::chrono::system_clock::now());
}

void Backend::Accept() {
  for (;;) {
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection < 0) return;
    const auto now = std::chrono::steady_clock::now();
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = socket_;
    parameters.fd = connection;
    acceptor_->HandleNewConnection(&parameters);
    const std::lock_guard<std::mutex> lock(mutex_);
    connected_.push_back(now);
    changed_.notify_all();
  }
}

int Backend::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(connected_.size());
}

std::chrono::steady_clock::time_point Backend::AwaitConnection(int number) {
  const auto index = static_cast<size_t>(number - 1);
  std::unique_lock<std::mutex> lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(60),
                         [&] { return connected_.size() > index; })) {
    FailBench("no client connected within a minute");
  }
  return connected_[index];
}

}  // namespace holdfast
