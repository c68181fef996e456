// A real gRPC server on loopback that echoes, and tells what it saw.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "acme/test/v1/echo.grpc.pb.h"
#include "channel/call/call_interceptor.h"

namespace holdfast {

namespace echo = ::acme::test::v1;

// Metadata of a call that the server repeats.
inline constexpr char kEchoInitial[] = "x-echo-initial";
inline constexpr char kEchoTrailing[] = "x-echo-trailing-bin";

// A new channel that has its connection.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address,
                                         const std::shared_ptr<grpc::ChannelCredentials>&
                                             credentials = grpc::InsecureChannelCredentials(),
                                         const SharedInterceptors& interceptors = {});

class EchoServer {
 public:
  explicit EchoServer(
      const std::string& address = "127.0.0.1:0",
      std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials());
  ~EchoServer();
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;

  // "ipv4:127.0.0.1:40123"
  const std::string& address() const { return address_; }

  // As ConnectTo.
  std::shared_ptr<grpc::Channel> Connect(const SharedInterceptors& interceptors = {}) const;
  std::shared_ptr<grpc::Channel> Connect(
      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
      const SharedInterceptors& interceptors) const;

  // The metadata of the newest call that arrived.
  std::multimap<std::string, std::string> metadata() const;

  // How many calls it is at.
  int serving() const;

  // Blocks until one more call is being held.
  void AwaitHeld();

 private:
  class Service;

  const std::unique_ptr<Service> service_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast
