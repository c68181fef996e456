// A real gRPC server on loopback that does what each message tells it: no script, no state. Any
// method of any service will do.
//
//   "say TEXT"       answers TEXT
//   "say-many N"     answers N bytes
//   "method"         answers the name of the method
//   "user-agent"     answers what the client calls itself
//   "client-name"    answers the common name of the client's certificate
//   "nothing"        no answer
//   "end CODE TEXT"  ends the call
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast {

class ObedientServer {
 public:
  explicit ObedientServer(
      std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials());
  // Stops.
  ~ObedientServer();
  ObedientServer(const ObedientServer&) = delete;
  ObedientServer& operator=(const ObedientServer&) = delete;

  // "127.0.0.1:40123", the same while the object lives. While stopped it refuses connections.
  std::string address() const;
  uint16_t port() const { return port_; }

  // REQUIRES: it does not run. Nobody runs before this.
  void Start();
  // Breaks what is open.
  void Stop();

 private:
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::CallbackGenericService> service_;
  uint16_t port_ = 0;
  int reservation_;  // a socket that is bound and does not listen: keeps the port ours
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast
