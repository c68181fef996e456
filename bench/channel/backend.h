// A server to call, that knows when somebody connects to it.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "acme/test/v1/echo.grpc.pb.h"

namespace holdfast {

class Backend {
 public:
  Backend();
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  int port() const { return port_; }

  // Thread-safe.
  int connections() const;
  // When this one came, counted from 1.
  std::chrono::steady_clock::time_point AwaitConnection(int number);

 private:
  class Service final : public acme::test::v1::Echo::Service {
    grpc::Status Unary(grpc::ServerContext*, const acme::test::v1::EchoRequest* request,
                       acme::test::v1::EchoReply* reply) override {
      reply->set_text(request->text());
      return grpc::Status::OK;
    }
  };

  void Accept();

  Service service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  int socket_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::chrono::steady_clock::time_point> connected_;
  std::thread thread_;
};

}  // namespace holdfast
