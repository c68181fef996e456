#include "wire/ads.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "envoy/config/core/v3/core.pb.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "google/rpc/status.pb.h"
#include "wire/node_message.h"
#include "wire/parse_message.h"
#include "wire/wire_reader.h"

namespace holdfast {
namespace {

namespace discovery = ::envoy::service::discovery::v3;

constexpr size_t kLongestVarint = 5;   // of a length, which is below 2 GiB
constexpr size_t kEntriesPerName = 4;  // see RequestLimits::most_names

// What the two kinds of request have in common under the same field names.
template <class Request, class Message>
void WriteCommon(const Request& request, Message& message) {
  if (request.node.has_value()) WriteNode(*request.node, *message.mutable_node());
  message.set_type_url(request.type_url);
  message.set_response_nonce(request.response_nonce);
  if (request.error_detail.has_value()) {
    message.mutable_error_detail()->set_code(request.error_detail->code);
    message.mutable_error_detail()->set_message(request.error_detail->message);
  }
}

template <class Message, class Request>
void ReadCommon(const Message& message, Request& request) {
  if (message.has_node()) request.node = ReadNode(message.node());
  request.type_url = message.type_url();
  request.response_nonce = message.response_nonce();
  if (message.has_error_detail()) {
    request.error_detail = {message.error_detail().code(), message.error_detail().message()};
  }
}

// Where the two kinds of request keep what may be large.
struct Layout {
  absl::string_view noun;
  uint32_t node;
  uint32_t error_detail;
  uint32_t initial_versions;  // 0: it has none
  bool (*is_name)(uint32_t field);
};
constexpr Layout kSotw = {"discovery request", 2, 6, 0,
                          [](uint32_t field) { return field == 3 || field == 7; }};
constexpr Layout kDelta = {"delta discovery request", 1, 7, 5, [](uint32_t field) {
                             return field == 3 || field == 4 || field == 8 || field == 9;
                           }};

constexpr absl::string_view kFixedLimit = "a limit without an option";

// `option` is what an operator of the control plane calls the limit.
absl::Status Exceeds(absl::string_view noun, absl::string_view what, size_t limit,
                     absl::string_view option) {
  return absl::ResourceExhaustedError(
      absl::StrCat(noun, " has more than ", limit, " ", what, " (", option, ")"));
}

// Bytes that are no message at all are left to the parser.
absl::Status CheckLimits(const Layout& layout, absl::string_view bytes,
                         const RequestLimits& limits) {
  WireReader reader(bytes);
  WireField field;
  size_t names = 0;
  size_t initial_versions = 0;
  size_t node_bytes = 0;
  size_t error_bytes = 0;
  while (reader.Next(field)) {
    if (field.type != WireType::kLengthDelimited) continue;
    if (layout.is_name(field.number)) ++names;
    if (field.number == layout.initial_versions) ++initial_versions;
    if (field.number == layout.node) node_bytes += field.bytes.size();
    if (field.number == layout.error_detail) error_bytes += field.bytes.size();
  }
  const size_t most_entries =
      kEntriesPerName * std::min(limits.most_names, SIZE_MAX / kEntriesPerName);
  if (names > most_entries) {
    return Exceeds(layout.noun, "names, repeated ones included", most_entries,
                   absl::StrCat(kEntriesPerName, " times --max-names"));
  }
  if (initial_versions > limits.most_initial_versions) {
    return Exceeds(layout.noun, "initial_resource_versions", limits.most_initial_versions,
                   kFixedLimit);
  }
  if (node_bytes > limits.most_node_bytes) {
    return Exceeds(layout.noun, "bytes of node", limits.most_node_bytes, "--max-node-bytes");
  }
  if (error_bytes > limits.most_error_bytes) {
    return Exceeds(layout.noun, "bytes of error_detail", limits.most_error_bytes, kFixedLimit);
  }
  return absl::OkStatus();
}

template <class Message>
absl::StatusOr<Message> Parse(const Layout& layout, absl::string_view bytes,
                              const RequestLimits& limits) {
  const absl::Status within_limits = CheckLimits(layout, bytes, limits);
  if (!within_limits.ok()) return within_limits;
  Message message;
  if (!ParseMessageQuietly(bytes, message)) {
    return absl::InvalidArgumentError(
        absl::StrCat(layout.noun, " of ", bytes.size(), " bytes cannot be parsed: ", kUnparsable));
  }
  return message;
}

// Most of what a control plane reads: the answer to a response, which names its type and its nonce,
// and nothing else. None: there is more in it, or it is for protobuf to say whether it may be read;
// a string that is not UTF-8 may not, so only ASCII is taken here.
std::optional<DeltaDiscoveryRequest> ReadPlainAnswer(absl::string_view bytes) {
  constexpr size_t kMostBytes = 1024;
  if (bytes.size() > kMostBytes || !absl::c_all_of(bytes, absl::ascii_isascii)) {
    return std::nullopt;
  }
  WireReader reader(bytes);
  WireField field;
  absl::string_view type_url;
  absl::string_view nonce;
  while (reader.Next(field)) {
    if (field.Is(2)) {
      type_url = field.bytes;
    } else if (field.Is(6)) {
      nonce = field.bytes;
    } else {
      return std::nullopt;
    }
  }
  if (reader.is_broken()) return std::nullopt;
  DeltaDiscoveryRequest request;
  request.type_url = std::string(type_url);
  request.response_nonce = std::string(nonce);
  return request;
}

// Maps in order, so that a pure room gives the same bytes for the same struct.
std::string Serialized(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    HOLDFAST_CHECK(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

std::string Text(absl::string_view view) { return std::string(view); }

void WriteAny(const ResourceEntry& entry, google::protobuf::Any& any) {
  any.set_type_url(Text(entry.type_url));
  any.set_value(entry.body.data(), entry.body.size());
}

void WriteWrapper(const ResourceEntry& entry, discovery::Resource& wrapper) {
  wrapper.set_name(Text(entry.name));
  wrapper.set_version(Text(entry.version));
  if (entry.has_body) WriteAny(entry, *wrapper.mutable_resource());
  if (entry.ttl.has_value()) {
    absl::Duration rest;
    wrapper.mutable_ttl()->set_seconds(absl::IDivDuration(*entry.ttl, absl::Seconds(1), &rest));
    wrapper.mutable_ttl()->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  }
}

template <class Message>
void WriteErrors(const DiscoveryResponse& response, Message& message) {
  for (const ResourceError& error : response.resource_errors) {
    HOLDFAST_CHECK(error.problem.empty());
    discovery::ResourceError& out = *message.add_resource_errors();
    out.mutable_resource_name()->set_name(Text(error.name));
    out.mutable_error_detail()->set_code(error.code);
    out.mutable_error_detail()->set_message(Text(error.message));
  }
}

template <class Message>
void WriteEnds(const DiscoveryResponse& response, Message& message) {
  message.set_type_url(Text(response.type_url));
  message.set_nonce(Text(response.nonce));
  if (!response.control_plane.empty()) {
    message.mutable_control_plane()->set_identifier(Text(response.control_plane));
  }
  WriteErrors(response, message);
}

// DiscoveryRequest.resource_names = 3, behind the other fields, whose order is free. Every request
// repeats all names, so they are not copied into a message first.
void AppendNames(const NameList& names, std::string& bytes) {
  size_t size = bytes.size();
  for (const std::string& name : names) size += 1 + kLongestVarint + name.size();
  bytes.reserve(size);
  for (const std::string& name : names) {
    bytes += '\x1a';  // field 3, length-delimited
    size_t length = name.size();
    for (; length >= 0x80; length >>= 7) bytes += static_cast<char>(length | 0x80);
    bytes += static_cast<char>(length);
    bytes += name;
  }
}

// A name in both lists breaks TP3, and a client could only guess which one was meant.
void CheckDisjoint(const DiscoveryResponse& response) {
  if (response.resource_errors.empty()) return;
  std::set<absl::string_view> failed;
  for (const ResourceError& error : response.resource_errors) failed.insert(error.name);
  for (const ResourceEntry& entry : response.resources) {
    HOLDFAST_CHECK(!failed.contains(entry.name));
  }
}

}  // namespace

std::string Encode(const DiscoveryRequest& request) {
  discovery::DiscoveryRequest message;
  WriteCommon(request, message);
  message.set_version_info(request.version_info);
  std::string bytes = Serialized(message);
  AppendNames(request.resource_names, bytes);
  return bytes;
}

std::string Encode(const DeltaDiscoveryRequest& request) {
  discovery::DeltaDiscoveryRequest message;
  WriteCommon(request, message);
  for (const std::string& name : request.subscribe) message.add_resource_names_subscribe(name);
  for (const std::string& name : request.unsubscribe) message.add_resource_names_unsubscribe(name);
  for (const auto& [name, version] : request.initial_resource_versions) {
    (*message.mutable_initial_resource_versions())[name] = version;
  }
  return Serialized(message);
}

absl::StatusOr<DiscoveryRequest> ParseRequest(absl::string_view bytes,
                                              const RequestLimits& limits) {
  const auto message = Parse<discovery::DiscoveryRequest>(kSotw, bytes, limits);
  if (!message.ok()) return message.status();
  DiscoveryRequest request;
  ReadCommon(*message, request);
  request.version_info = message->version_info();
  request.resource_names =
      std::vector<std::string>(message->resource_names().begin(), message->resource_names().end());
  return request;
}

absl::StatusOr<DeltaDiscoveryRequest> ParseDeltaRequest(absl::string_view bytes,
                                                        const RequestLimits& limits) {
  if (std::optional<DeltaDiscoveryRequest> answer = ReadPlainAnswer(bytes)) {
    return *std::move(answer);
  }
  const auto message = Parse<discovery::DeltaDiscoveryRequest>(kDelta, bytes, limits);
  if (!message.ok()) return message.status();
  DeltaDiscoveryRequest request;
  ReadCommon(*message, request);
  request.subscribe.assign(message->resource_names_subscribe().begin(),
                           message->resource_names_subscribe().end());
  request.unsubscribe.assign(message->resource_names_unsubscribe().begin(),
                             message->resource_names_unsubscribe().end());
  request.initial_resource_versions.insert(message->initial_resource_versions().begin(),
                                           message->initial_resource_versions().end());
  return request;
}

std::string EncodeResponse(const DiscoveryResponse& response) {
  HOLDFAST_CHECK(response.problem.empty());
  CheckDisjoint(response);
  discovery::DiscoveryResponse message;
  message.set_version_info(Text(response.version_info));
  for (const ResourceEntry& entry : response.resources) {
    HOLDFAST_CHECK(entry.problem.empty());
    google::protobuf::Any& any = *message.add_resources();
    if (!entry.is_wrapped) {
      WriteAny(entry, any);
      continue;
    }
    discovery::Resource wrapper;
    WriteWrapper(entry, wrapper);
    any.set_type_url(absl::StrCat(kTypeUrlPrefix, wrapper.GetTypeName()));
    any.set_value(Serialized(wrapper));
  }
  WriteEnds(response, message);
  return Serialized(message);
}

std::string EncodeDeltaResponse(const DiscoveryResponse& response) {
  HOLDFAST_CHECK(response.problem.empty());
  CheckDisjoint(response);
  discovery::DeltaDiscoveryResponse message;
  message.set_system_version_info(Text(response.version_info));
  for (const ResourceEntry& entry : response.resources) {
    HOLDFAST_CHECK(entry.problem.empty());
    WriteWrapper(entry, *message.add_resources());
  }
  for (absl::string_view name : response.removed_resources) {
    message.add_removed_resources(Text(name));
  }
  WriteEnds(response, message);
  return Serialized(message);
}

}  // namespace holdfast
