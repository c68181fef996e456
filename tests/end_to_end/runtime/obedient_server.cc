#include "tests/end_to_end/runtime/obedient_server.h"

#include <grpcpp/security/auth_context.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "tests/end_to_end/runtime/tunnel.h"

namespace holdfast {
namespace {

std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  HOLDFAST_CHECK(buffer.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

// Serves one call; deletes itself at its end.
class Obey final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Obey(grpc::GenericCallbackServerContext* context) : context_(context) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    const std::string order = TextOf(request_);
    const std::pair<std::string, std::string> words =
        absl::StrSplit(order, absl::MaxSplits(' ', 1));
    if (words.first == "end") return End(words.second);
    if (words.first == "nothing") return StartRead(&request_);
    Say(AnswerTo(words.first, words.second));
  }

  void OnWriteDone(bool ok) override {
    if (ok) StartRead(&request_);
    if (!ok) Finish(grpc::Status::CANCELLED);
  }

  void OnDone() override { delete this; }

 private:
  std::string AnswerTo(absl::string_view verb, const std::string& rest) const {
    int many = 0;
    if (verb == "say") return rest;
    if (verb == "say-many" && absl::SimpleAtoi(rest, &many)) {
      return std::string(static_cast<size_t>(many), 'x');
    }
    if (verb == "method") return context_->method();
    if (verb == "user-agent") {
      const auto found = context_->client_metadata().find("user-agent");
      return std::string(found->second.data(), found->second.size());
    }
    if (verb == "client-name") {
      return absl::StrJoin(context_->auth_context()->FindPropertyValues("x509_common_name"), ",",
                           [](std::string* out, grpc::string_ref value) {
                             absl::StrAppend(out, std::string(value.data(), value.size()));
                           });
    }
    return absl::StrCat("what is ", verb, "?");
  }

  void Say(const std::string& text) {
    const grpc::Slice slice(text);
    response_ = grpc::ByteBuffer(&slice, 1);
    StartWrite(&response_);
  }

  void End(const std::string& rest) {
    const std::pair<std::string, std::string> words = absl::StrSplit(rest, absl::MaxSplits(' ', 1));
    int code = 0;
    HOLDFAST_CHECK(absl::SimpleAtoi(words.first, &code));
    Finish(grpc::Status(static_cast<grpc::StatusCode>(code), words.second));
  }

  grpc::GenericCallbackServerContext* const context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
};

class ObeyEveryCall final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Obey(context);
  }
};

}  // namespace

ObedientServer::ObedientServer(std::shared_ptr<grpc::ServerCredentials> credentials)
    : credentials_(std::move(credentials)), reservation_(BoundSocket(port_)) {}

ObedientServer::~ObedientServer() {
  Stop();
  close(reservation_);
}

std::string ObedientServer::address() const { return absl::StrCat("127.0.0.1:", port_); }

void ObedientServer::Start() {
  HOLDFAST_CHECK(server_ == nullptr);
  // One for each server: gRPC does not let the next one have it.
  service_ = std::make_unique<ObeyEveryCall>();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), credentials_);
  builder.RegisterCallbackGenericService(service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
  HOLDFAST_CHECK(server_ != nullptr);
}

void ObedientServer::Stop() {
  if (server_ == nullptr) return;
  // Does not wait for calls to end by themselves.
  server_->Shutdown(std::chrono::system_clock::now());
  server_ = nullptr;
}

}  // namespace holdfast
