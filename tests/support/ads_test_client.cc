#include "tests/support/ads_test_client.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/support/patience.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr char kSotwMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
constexpr char kDeltaMethod[] =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

// Every type that tests use has its name in field 1.
uint32_t NameField(absl::string_view) { return 1; }

std::string Text(absl::string_view text) { return std::string(text); }

AdsAnswer Copy(const DiscoveryResponse& response) {
  EXPECT_EQ(response.problem, "");
  AdsAnswer answer = {.type = Text(WithoutTypeUrlPrefix(response.type_url)),
                      .version = Text(response.version_info),
                      .nonce = Text(response.nonce),
                      .control_plane = Text(response.control_plane)};
  for (const ResourceEntry& entry : response.resources) {
    EXPECT_EQ(entry.problem, "");
    EXPECT_TRUE(answer.resources.emplace(entry.name, entry.body).second)
        << entry.name << " comes twice";
  }
  for (absl::string_view name : response.removed_resources) answer.removed.push_back(Text(name));
  for (const ResourceError& error : response.resource_errors) {
    EXPECT_EQ(error.problem, "");
    EXPECT_FALSE(answer.resources.contains(Text(error.name))) << error.name << " has both";
    answer.errors[Text(error.name)] = {error.code, Text(error.message)};
  }
  return answer;
}

AdsAnswer Read(Variant variant, const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  EXPECT_TRUE(message.DumpToSingleSlice(&slice).ok());
  const absl::string_view bytes(reinterpret_cast<const char*>(slice.begin()), slice.size());
  const absl::StatusOr<DiscoveryResponse> response =
      variant == Variant::kSotw ? ScanResponse(bytes, NameField) : ScanDeltaResponse(bytes);
  EXPECT_TRUE(response.ok()) << response.status();
  return response.ok() ? Copy(*response) : AdsAnswer();
}

}  // namespace

struct AdsTestStream::State {
  enum class Op : intptr_t { kStart = 1, kWrite, kRead, kFinish };
  static void* Tag(Op op) { return reinterpret_cast<void*>(op); }

  // Whether the operation succeeded. One that took too long is still pending: the test has failed.
  bool Wait(Op op) {
    while (!done.contains(op)) {
      void* tag = nullptr;
      bool ok = false;
      const auto deadline =
          std::chrono::system_clock::now() + absl::ToChronoMilliseconds(kPatience);
      if (queue.AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) {
        ADD_FAILURE() << "operation " << static_cast<intptr_t>(op) << " took too long";
        is_stuck = true;
        return false;
      }
      done[static_cast<Op>(reinterpret_cast<intptr_t>(tag))] = ok;
    }
    return done.extract(op).mapped();
  }

  std::string TypeUrl(const std::string& type) { return absl::StrCat(kTypeUrlPrefix, type); }

  Variant variant;
  std::optional<Node> node;  // until it was sent
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call;
  grpc::ByteBuffer incoming;
  std::map<Op, bool> done;
  bool is_finished = false;
  bool is_stuck = false;
  std::map<std::string, NameList> names;        // SotW, by type
  std::map<std::string, std::string> versions;  // SotW: what was accepted last, by type
};

AdsTestStream::AdsTestStream(std::unique_ptr<State> state) : state_(std::move(state)) {}

AdsTestStream::~AdsTestStream() {
  if (!state_->is_finished) {
    state_->context.TryCancel();
    grpc::Status status;
    state_->call->Finish(&status, State::Tag(State::Op::kFinish));
    state_->Wait(State::Op::kFinish);
  }
  state_->queue.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (state_->queue.Next(&tag, &ok)) {
  }
}

void AdsTestStream::Send(const std::string& message) {
  const grpc::Slice slice(message);
  state_->call->Write(grpc::ByteBuffer(&slice, 1), State::Tag(State::Op::kWrite));
  // Fails if the server ended the stream: End() says why.
  state_->Wait(State::Op::kWrite);
}

void AdsTestStream::Ask(absl::string_view type, std::vector<std::string> names) {
  const std::string type_name(type);
  if (state_->variant == Variant::kDelta) {
    Send(Encode(DeltaDiscoveryRequest{.node = std::exchange(state_->node, std::nullopt),
                                      .type_url = state_->TypeUrl(type_name),
                                      .subscribe = std::move(names)}));
    return;
  }
  NameList& asked = state_->names[type_name];
  asked = NameList(std::move(names));
  Send(Encode(DiscoveryRequest{.version_info = state_->versions[type_name],
                               .node = std::exchange(state_->node, std::nullopt),
                               .resource_names = asked,
                               .type_url = state_->TypeUrl(type_name)}));
}

void AdsTestStream::Answer(const AdsAnswer& answer, const WireStatus* error) {
  std::optional<WireStatus> detail;
  if (error != nullptr) detail = *error;
  if (state_->variant == Variant::kDelta) {
    Send(Encode(DeltaDiscoveryRequest{.type_url = state_->TypeUrl(answer.type),
                                      .response_nonce = answer.nonce,
                                      .error_detail = detail}));
    return;
  }
  if (error == nullptr) state_->versions[answer.type] = answer.version;
  Send(Encode(DiscoveryRequest{.version_info = state_->versions[answer.type],
                               .resource_names = state_->names[answer.type],
                               .type_url = state_->TypeUrl(answer.type),
                               .response_nonce = answer.nonce,
                               .error_detail = detail}));
}

void AdsTestStream::Ack(const AdsAnswer& answer) { Answer(answer, nullptr); }

void AdsTestStream::Nack(const AdsAnswer& answer, absl::string_view why) {
  const WireStatus error = {3, std::string(why)};
  Answer(answer, &error);
}

AdsAnswer AdsTestStream::Next() {
  if (state_->is_stuck) return AdsAnswer();
  state_->call->Read(&state_->incoming, State::Tag(State::Op::kRead));
  if (!state_->Wait(State::Op::kRead)) {
    if (!state_->is_stuck) ADD_FAILURE() << "no answer, but the end of the stream: " << End();
    return AdsAnswer();
  }
  return Read(state_->variant, state_->incoming);
}

AdsAnswer AdsTestStream::NextWhere(const std::function<bool(const AdsAnswer&)>& wanted) {
  AdsAnswer answer = Next();
  while (!wanted(answer) && !testing::Test::HasFailure()) answer = Next();
  return answer;
}

absl::Status AdsTestStream::End() {
  if (state_->is_finished || state_->is_stuck) {
    return absl::FailedPreconditionError("it had ended before, or is stuck");
  }
  do {
    state_->call->Read(&state_->incoming, State::Tag(State::Op::kRead));
  } while (state_->Wait(State::Op::kRead));
  grpc::Status status;
  state_->call->Finish(&status, State::Tag(State::Op::kFinish));
  state_->Wait(State::Op::kFinish);
  state_->is_finished = true;
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

AdsTestClient::AdsTestClient(const std::string& address, std::string node_id, int most_bytes)
    : node_id_(std::move(node_id)), channel_([&] {
        grpc::ChannelArguments arguments;
        arguments.SetMaxReceiveMessageSize(most_bytes);
        arguments.SetMaxSendMessageSize(-1);
        // Two clients of a test are two connections.
        arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
      }()) {}

std::unique_ptr<AdsTestStream> AdsTestClient::OpenSotw() { return Open(Variant::kSotw); }
std::unique_ptr<AdsTestStream> AdsTestClient::OpenDelta() { return Open(Variant::kDelta); }

std::unique_ptr<AdsTestStream> AdsTestClient::Open(Variant variant) {
  auto state = std::make_unique<AdsTestStream::State>();
  state->variant = variant;
  state->node = Node{.id = node_id_};
  state->context.set_wait_for_ready(true);
  state->call = grpc::GenericStub(channel_).PrepareCall(
      &state->context, variant == Variant::kSotw ? kSotwMethod : kDeltaMethod, &state->queue);
  state->call->StartCall(AdsTestStream::State::Tag(AdsTestStream::State::Op::kStart));
  EXPECT_TRUE(state->Wait(AdsTestStream::State::Op::kStart));
  return std::unique_ptr<AdsTestStream>(new AdsTestStream(std::move(state)));
}

}  // namespace holdfast
