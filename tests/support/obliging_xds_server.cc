#include "tests/support/obliging_xds_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "tests/support/patience.h"
#include "tests/support/reserved_port.h"
#include "tests/support/test_response.h"
#include "wire/ads.h"

namespace holdfast {
namespace {

struct Error {
  int32_t code;
  std::string message;
};

struct TypeContents {
  std::map<std::string, std::variant<std::string, Error>> by_name;
  int version = 1;
};

std::string TypeName(absl::string_view type) {
  if (type == "lds") return "envoy.config.listener.v3.Listener";
  if (type == "rds") return "envoy.config.route.v3.RouteConfiguration";
  if (type == "cds") return "envoy.config.cluster.v3.Cluster";
  HOLDFAST_CHECK(type == "eds");
  return "envoy.config.endpoint.v3.ClusterLoadAssignment";
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  HOLDFAST_CHECK(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

class ObligingXdsServer::State {
 public:
  State() { Restart(); }
  ~State() { Kill(); }

  const std::string& address() const { return port_.address(); }

  void Change(absl::string_view type, const std::function<void(TypeContents&)>& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string name = TypeName(type);
    change(types_[name]);
    ++types_[name].version;
    unsent_.insert(name);
    if (!is_held_) SendUnsent();
  }
  void Hold() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_held_ = true;
  }
  void LetGo() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_held_ = false;
    SendUnsent();
  }
  void SendToAll(const std::string& bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Stream* stream : streams_) stream->Send(bytes);
  }
  // OK: they are welcome again.
  void Refuse(const grpc::Status& status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    refusal_ = status;
    if (status.ok()) return;
    for (Stream* stream : streams_) stream->End(status);
  }
  // Until `found`, which is asked after every request.
  void Await(absl::string_view what, const std::function<bool()>& found);

  std::optional<std::string> NackOf(absl::string_view type) const {
    const auto answer = answers_.find(TypeName(type));
    if (answer == answers_.end() || !IsNewest(answer->first, answer->second)) return std::nullopt;
    return answer->second.rejection;
  }
  bool IsAcked(absl::string_view type) const {
    const auto answer = answers_.find(TypeName(type));
    return answer != answers_.end() && IsNewest(answer->first, answer->second) &&
           !answer->second.rejection.has_value();
  }
  bool IsAskedFor(absl::string_view type, const std::string& name) const {
    for (const Stream* stream : streams_) {
      if (stream->Names(TypeName(type)).contains(name)) return true;
    }
    return false;
  }

  void Kill();
  void Restart();

 private:
  // What a client said to a response.
  struct Answer {
    std::string nonce;
    std::optional<std::string> rejection;
  };

  // One call. All of it under the mutex of the server, but for gRPC's own.
  class Stream final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Stream(State& state) : state_(state) {
      const std::lock_guard<std::mutex> lock(state_.mutex_);
      state_.streams_.insert(this);
      if (state_.refusal_.ok()) {
        StartRead(&request_);
      } else {
        End(state_.refusal_);
      }
    }

    void Send(const std::string& bytes) {
      unsent_.push_back(bytes);
      Pump();
    }
    // After the write that runs; what was not begun is not sent.
    void End(const grpc::Status& status) {
      if (is_over_) return;
      is_over_ = true;
      end_ = status;
      if (!is_writing_) Finish(end_);
    }
    const std::set<std::string>& Names(const std::string& type) const {
      static const std::set<std::string> none;
      const auto found = names_.find(type);
      return found == names_.end() ? none : found->second;
    }

    void OnReadDone(bool ok) override {
      const std::lock_guard<std::mutex> lock(state_.mutex_);
      if (!ok) End(grpc::Status::OK);
      if (is_over_) return;
      Take(*ParseRequest(BytesOf(request_), RequestLimits()));
      StartRead(&request_);
    }
    void OnWriteDone(bool ok) override {
      const std::lock_guard<std::mutex> lock(state_.mutex_);
      is_writing_ = false;
      unsent_.erase(unsent_.begin());
      if (!ok) unsent_.clear();
      if (is_over_) {
        Finish(end_);
      } else {
        Pump();
      }
    }
    void OnDone() override {
      {
        const std::lock_guard<std::mutex> lock(state_.mutex_);
        state_.streams_.erase(this);
      }
      delete this;
    }

   private:
    void Take(const DiscoveryRequest& request) {
      const std::string type(absl::StripPrefix(request.type_url, kTypeUrlPrefix));
      const std::set<std::string> names(request.resource_names.begin(),
                                        request.resource_names.end());
      if (!request.response_nonce.empty()) {
        Answer& answer = state_.answers_[type];
        answer.nonce = request.response_nonce;
        answer.rejection.reset();
        if (request.error_detail.has_value()) answer.rejection = request.error_detail->message;
      }
      const bool asks = names_[type] != names;
      names_[type] = names;
      if (asks) state_.SendTo(*this, type);
      state_.changed_.notify_all();
    }
    void Pump() {
      if (is_writing_ || is_over_ || unsent_.empty()) return;
      is_writing_ = true;
      const grpc::Slice slice(unsent_.front());
      response_ = grpc::ByteBuffer(&slice, 1);
      StartWrite(&response_);
    }

    State& state_;
    std::map<std::string, std::set<std::string>> names_;
    std::vector<std::string> unsent_;
    bool is_writing_ = false;
    bool is_over_ = false;
    grpc::Status end_;
    grpc::ByteBuffer request_;
    grpc::ByteBuffer response_;
  };

  class Service final : public grpc::CallbackGenericService {
   public:
    explicit Service(State& state) : state_(state) {}
    grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
      return new Stream(state_);
    }

   private:
    State& state_;
  };

  // The rest: REQUIRES mutex_.
  std::string NonceOf(const std::string& type) const {
    return absl::StrCat(type, "-", types_.at(type).version);
  }
  bool IsNewest(const std::string& type, const Answer& answer) const {
    const auto contents = types_.find(type);
    return contents != types_.end() && answer.nonce == NonceOf(type);
  }
  void SendUnsent() {
    for (const std::string& type : std::exchange(unsent_, {})) {
      for (Stream* stream : streams_) {
        if (!stream->Names(type).empty()) SendTo(*stream, type);
      }
    }
  }
  void SendTo(Stream& stream, const std::string& type) {
    if (is_held_) {
      unsent_.insert(type);
      return;
    }
    const TypeContents& contents = types_[type];
    TestResponse response(type, absl::StrCat(contents.version), NonceOf(type));
    bool is_empty = true;
    for (const std::string& name : stream.Names(type)) {
      const auto found = contents.by_name.find(name);
      if (found == contents.by_name.end()) continue;
      is_empty = false;
      if (const auto* error = std::get_if<Error>(&found->second)) {
        response.Error(name, error->code, error->message);
      } else {
        // Wrapped, so that what is broken inside has a name all the same.
        response.WrappedResource(name, std::get<std::string>(found->second));
      }
    }
    // Absence says something only of listeners and clusters.
    const bool is_full_state = type == TypeName("lds") || type == TypeName("cds");
    if (!is_empty || is_full_state) stream.Send(response.Bytes());
  }

  const ReservedPort port_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, TypeContents> types_;
  std::map<std::string, Answer> answers_;
  std::set<std::string> unsent_;
  bool is_held_ = false;
  grpc::Status refusal_;
  std::set<Stream*> streams_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

void ObligingXdsServer::State::Await(absl::string_view what, const std::function<bool()>& found) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (changed_.wait_for(lock, absl::ToChronoMilliseconds(kPatience), found)) return;
  // A test cannot go on without it: it ends here, where the reason is known.
  std::fprintf(stderr, "%s did not come\n", std::string(what).c_str());
  std::abort();
}

void ObligingXdsServer::State::Kill() {
  if (server_ == nullptr) return;
  server_->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
  server_->Wait();
  server_.reset();
  service_.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  answers_.clear();
}

void ObligingXdsServer::State::Restart() {
  HOLDFAST_CHECK(server_ == nullptr);
  service_ = std::make_unique<Service>(*this);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(service_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
  HOLDFAST_CHECK(server_ != nullptr);
}

ObligingXdsServer::ObligingXdsServer() : state_(std::make_unique<State>()) {}
ObligingXdsServer::~ObligingXdsServer() = default;

const std::string& ObligingXdsServer::address() const { return state_->address(); }

void ObligingXdsServer::Put(absl::string_view type, const std::string& name, std::string bytes) {
  state_->Change(type, [&](TypeContents& contents) { contents.by_name[name] = std::move(bytes); });
}

void ObligingXdsServer::PutError(absl::string_view type, const std::string& name, int32_t code,
                                 std::string message) {
  state_->Change(type, [&](TypeContents& contents) {
    contents.by_name[name] = Error{code, std::move(message)};
  });
}

void ObligingXdsServer::Remove(absl::string_view type, const std::string& name) {
  state_->Change(type, [&](TypeContents& contents) { contents.by_name.erase(name); });
}

void ObligingXdsServer::Hold() { state_->Hold(); }
void ObligingXdsServer::LetGo() { state_->LetGo(); }

void ObligingXdsServer::SendUnknownType() {
  state_->SendToAll(
      TestResponse("acme.Unknown", "1", "unknown-1").WrappedResource("what", "ever").Bytes());
}

void ObligingXdsServer::SendGarbage() { state_->SendToAll("\xff\xff\xff no response"); }

std::string ObligingXdsServer::WaitForNack(absl::string_view type) {
  std::optional<std::string> words;
  state_->Await(absl::StrCat("a NACK of ", type), [&] {
    words = state_->NackOf(type);
    return words.has_value();
  });
  return *words;
}

void ObligingXdsServer::WaitForAck(absl::string_view type) {
  state_->Await(absl::StrCat("an ACK of ", type), [&] { return state_->IsAcked(type); });
}

void ObligingXdsServer::WaitForSubscription(absl::string_view type, const std::string& name) {
  state_->Await(absl::StrCat("a subscription of ", type, "/", name),
                [&] { return state_->IsAskedFor(type, name); });
}

void ObligingXdsServer::RefuseStreams(const absl::Status& status) {
  state_->Refuse(
      grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message())));
}
void ObligingXdsServer::AcceptStreams() { state_->Refuse(grpc::Status::OK); }

void ObligingXdsServer::Kill() { state_->Kill(); }
void ObligingXdsServer::Restart() { state_->Restart(); }

}  // namespace holdfast
