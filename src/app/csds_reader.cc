#include "app/csds_reader.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <future>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "app/fleet_dial.h"
#include "app/listen_address.h"
#include "app/request_guard.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

constexpr char kMethod[] =
    "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus";
constexpr std::chrono::seconds kPatience{10};
constexpr int kMostAnswerBytes = 256 << 20;

// ClientStatusRequest: exclude_resource_contents is field 3.
grpc::ByteBuffer Request(CsdsContents contents) {
  const grpc::Slice slice(contents == CsdsContents::kExcluded ? std::string("\x18\x01") : "");
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<std::string> BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) {
    return absl::InternalError("the answer cannot be read");
  }
  std::string bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

absl::Status Failure(const std::string& address, const grpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.error_code());
  const std::string about = absl::StrCat("cannot ask the process at ", address, ": ");
  if (code == absl::StatusCode::kUnimplemented) {
    return absl::Status(code, absl::StrCat(about,
                                           "it has no CSDS; a gRPC process has it where it "
                                           "opened its admin services, holdfast watch and "
                                           "probe with --admin, and Envoy never"));
  }
  if (code == absl::StatusCode::kUnavailable || code == absl::StatusCode::kDeadlineExceeded) {
    // gRPC wraps the reason in its own words; ours are shorter, if that was it.
    const std::string reason = DialAll({address})[address].error;
    return absl::UnavailableError(
        absl::StrCat(about, reason.empty() ? BoundedText(status.error_message()) : reason));
  }
  return absl::Status(code, absl::StrCat(about, absl::StatusCodeToString(code), ": ",
                                         BoundedText(status.error_message())));
}

}  // namespace

absl::StatusOr<std::string> FetchClientStatus(absl::string_view address, CsdsContents contents,
                                              int stop) {
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(address);
  if (!parsed.ok()) return parsed.status();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMostAnswerBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  grpc::GenericStub stub(
      grpc::CreateCustomChannel(parsed->Text(), grpc::InsecureChannelCredentials(), arguments));

  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  const grpc::ByteBuffer request = Request(contents);
  grpc::ByteBuffer answer;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, kMethod, grpc::StubOptions(), &request, &answer,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  // gRPC keeps the deadline itself.
  const RequestGuard guard(2 * kPatience, stop, [&context] { context.TryCancel(); });
  const grpc::Status status = done.get_future().get();
  if (!status.ok()) return Failure(parsed->Text(), status);
  return BytesOf(answer);
}

}  // namespace holdfast
