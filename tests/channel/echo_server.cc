#include "tests/channel/echo_server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/channel_arguments.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/support/patience.h"

namespace holdfast {
namespace {

std::string Text(grpc::string_ref text) { return std::string(text.data(), text.size()); }

grpc::Status StatusOf(const echo::EchoRequest& request) {
  return grpc::Status(static_cast<grpc::StatusCode>(request.code()), request.message(),
                      request.details());
}

echo::EchoReply ReplyTo(const grpc::ServerContext& context, std::string text) {
  echo::EchoReply reply;
  reply.set_text(std::move(text));
  reply.set_authority(Text(context.ExperimentalGetAuthority()));
  const auto deadline = context.deadline();
  reply.set_remaining_ms(deadline == std::chrono::system_clock::time_point::max()
                             ? -1
                             : absl::ToInt64Milliseconds(absl::FromChrono(deadline) - absl::Now()));
  return reply;
}

}  // namespace

class EchoServer::Service final : public echo::Echo::Service {
 public:
  std::multimap<std::string, std::string> metadata() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return metadata_;
  }

  int serving() const { return serving_; }

  void AwaitHeld() {
    std::unique_lock<std::mutex> lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, absl::ToChronoSeconds(kPatience),
                                  [this] { return held_ > seen_held_; }));
    ++seen_held_;
  }

 private:
  grpc::Status Unary(grpc::ServerContext* context, const echo::EchoRequest* request,
                     echo::EchoReply* reply) override {
    const Serving serving(*this, *context);
    MaybeHold(*context, *request);
    *reply = ReplyTo(*context, request->text());
    return StatusOf(*request);
  }

  grpc::Status ClientStream(grpc::ServerContext* context,
                            grpc::ServerReader<echo::EchoRequest>* reader,
                            echo::EchoReply* reply) override {
    const Serving serving(*this, *context);
    std::string all;
    echo::EchoRequest request, last;
    while (reader->Read(&request)) {
      MaybeHold(*context, request);
      all += request.text();
      last = request;
    }
    *reply = ReplyTo(*context, all);
    return StatusOf(last);
  }

  grpc::Status ServerStream(grpc::ServerContext* context, const echo::EchoRequest* request,
                            grpc::ServerWriter<echo::EchoReply>* writer) override {
    const Serving serving(*this, *context);
    MaybeHold(*context, *request);
    for (int i = 0; i < request->replies(); ++i) {
      if (!writer->Write(ReplyTo(*context, absl::StrCat(request->text(), i)))) break;
    }
    return StatusOf(*request);
  }

  grpc::Status Bidi(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<echo::EchoReply, echo::EchoRequest>* stream) override {
    const Serving serving(*this, *context);
    echo::EchoRequest request, last;
    while (stream->Read(&request)) {
      MaybeHold(*context, request);
      last = request;
      if (!stream->Write(ReplyTo(*context, request.text()))) break;
    }
    return StatusOf(last);
  }

  // A call that has begun, until it ends.
  class Serving {
   public:
    Serving(Service& service, grpc::ServerContext& context) : count_(service.serving_) {
      ++count_;
      service.Begin(context);
    }
    ~Serving() { --count_; }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

   private:
    std::atomic<int>& count_;
  };

  void Begin(grpc::ServerContext& context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    metadata_.clear();
    for (const auto& [name, value] : context.client_metadata()) {
      metadata_.emplace(Text(name), Text(value));
      if (name == kEchoInitial) context.AddInitialMetadata(kEchoInitial, Text(value));
      if (name == kEchoTrailing) context.AddTrailingMetadata(kEchoTrailing, Text(value));
    }
  }

  void MaybeHold(grpc::ServerContext& context, const echo::EchoRequest& request) {
    if (!request.hold()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++held_;
    }
    changed_.notify_all();
    while (!context.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::atomic<int> serving_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::string, std::string> metadata_;
  int held_ = 0;
  int seen_held_ = 0;
};

EchoServer::EchoServer(const std::string& address,
                       std::shared_ptr<grpc::ServerCredentials> credentials)
    : service_(std::make_unique<Service>()) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, credentials, &port);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  EXPECT_NE(server_, nullptr);
  address_ = absl::StartsWith(address, "unix:") ? address : absl::StrCat("ipv4:127.0.0.1:", port);
}

EchoServer::~EchoServer() { server_->Shutdown(std::chrono::system_clock::now()); }

std::shared_ptr<grpc::Channel> ConnectTo(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const SharedInterceptors& interceptors) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  const std::shared_ptr<grpc::Channel> channel =
      grpc::experimental::CreateCustomChannelWithInterceptors(
          address, credentials, arguments, InterceptorsForConnection(interceptors));
  EXPECT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() +
                                        absl::ToChronoSeconds(kPatience)));
  return channel;
}

std::shared_ptr<grpc::Channel> EchoServer::Connect(const SharedInterceptors& interceptors) const {
  return Connect(grpc::InsecureChannelCredentials(), interceptors);
}

std::shared_ptr<grpc::Channel> EchoServer::Connect(
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const SharedInterceptors& interceptors) const {
  return ConnectTo(address_, credentials, interceptors);
}

std::multimap<std::string, std::string> EchoServer::metadata() const {
  return service_->metadata();
}

int EchoServer::serving() const { return service_->serving(); }

void EchoServer::AwaitHeld() { service_->AwaitHeld(); }

}  // namespace holdfast
