// A server on loopback that has the admin services and nothing else, and a channel to it.
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "observe/admin_services.h"

namespace holdfast {

// gRPC stays up until the process ends. When its last user goes after a large write, it waits up to
// ten seconds for a thread that was to help with the write.
inline void KeepGrpcUp() {
  static const int kept = (grpc_init(), 0);
  static_cast<void>(kept);
}

class AdminServer {
 public:
  explicit AdminServer(ClientSource clients = [] { return std::vector<ClientStatus>(); }) {
    KeepGrpcUp();
    // The builder is gone when the calls come: only the server keeps the services.
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    AddAdminServices(&builder, std::move(clients));
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      ADD_FAILURE() << "the server did not start";
      return;
    }
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port),
                                         grpc::InsecureChannelCredentials(), arguments);
  }
  ~AdminServer() {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  }

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

 private:
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

// A call that fails rather than hangs.
inline std::unique_ptr<grpc::ClientContext> BoundedCall() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  return context;
}

}  // namespace holdfast
