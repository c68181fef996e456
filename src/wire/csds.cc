#include "wire/csds.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/error_detail.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "envoy/admin/v3/admin.pb.h"
#include "envoy/service/status/v3/csds.pb.h"
#include "wire/node_message.h"
#include "wire/wire_reader.h"

namespace holdfast {
namespace {

namespace admin = ::envoy::admin::v3;
namespace status = ::envoy::service::status::v3;
using ::google::protobuf::Any;
using ::google::protobuf::io::CodedOutputStream;
using GenericXdsConfig = status::ClientConfig::GenericXdsConfig;

constexpr size_t kMostBytes = std::numeric_limits<int32_t>::max();

// What a user chose may be any bytes, and one byte that is not UTF-8 would make the whole message
// unreadable.
std::string Utf8(const std::string& text) {
  return IsUtf8(text) ? text : BoundedText(text, text.size());
}

void WriteTime(absl::Time time, google::protobuf::Timestamp& timestamp) {
  const int64_t seconds = absl::ToUnixSeconds(time);
  const absl::Duration rest = time - absl::FromUnixSeconds(seconds);
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

void WriteError(const ErrorDetail& error, admin::UpdateFailureState& state) {
  // There is no field for a code, and of what a server says the code is half.
  const bool is_servers = error.cause == Cause::kServerError;
  state.set_details(absl::StrCat(
      is_servers ? absl::StrCat(absl::StatusCodeToString(error.code), ": ") : "", TextOf(error)));
  if (error.version.empty()) return;  // no response failed, or it had no version
  state.set_version_info(error.version);
  WriteTime(absl::FromChrono(error.when), *state.mutable_last_update_attempt());
}

// All but the contents.
GenericXdsConfig HeadOf(const ResourceSnapshot& resource, ConfigStatus config_status) {
  GenericXdsConfig head;
  head.set_config_status(static_cast<status::ConfigStatus>(config_status));
  head.set_type_url(resource.type_url);
  head.set_name(Utf8(resource.name));
  head.set_client_status(static_cast<admin::ClientResourceStatus>(resource.state));
  // A control plane may know the version that a client runs, and not the contents.
  if (resource.bytes != nullptr || !resource.version.empty()) {
    head.set_version_info(resource.version);
    WriteTime(absl::FromChrono(resource.last_updated), *head.mutable_last_updated());
  }
  if (resource.error.has_value()) WriteError(*resource.error, *head.mutable_error_state());
  return head;
}

// A string, bytes or message field.
uint32_t TagOf(int field) { return static_cast<uint32_t>(field) << 3 | 2; }

size_t FieldSize(int field, size_t length) {
  return CodedOutputStream::VarintSize32(TagOf(field)) + CodedOutputStream::VarintSize64(length) +
         length;
}

// `length` bytes must follow.
void WriteFieldStart(int field, size_t length, CodedOutputStream& out) {
  out.WriteTag(TagOf(field));
  out.WriteVarint64(length);
}

void WriteField(int field, const std::string& bytes, CodedOutputStream& out) {
  WriteFieldStart(field, bytes.size(), out);
  out.WriteRaw(bytes.data(), static_cast<int>(bytes.size()));
}

// The generated messages would copy all contents into themselves first. So they write the small
// parts, and the frames around the contents are written here. Everything is measured before
// anything is written, because a length stands before what it measures.
class Entry {
 public:
  Entry(const ResourceSnapshot& resource, ConfigStatus config_status, ResourceContents contents)
      : head_(HeadOf(resource, config_status)), size_(head_.ByteSizeLong()) {
    if (resource.bytes == nullptr || contents == ResourceContents::kExcluded) return;
    contents_ = resource.bytes.get();
    any_size_ = FieldSize(Any::kTypeUrlFieldNumber, head_.type_url().size()) +
                FieldSize(Any::kValueFieldNumber, contents_->size());
    size_ += FieldSize(GenericXdsConfig::kXdsConfigFieldNumber, any_size_);
  }

  size_t size() const { return size_; }

  // Contents come last, out of the order of the numbers, which means nothing on the wire.
  void Write(CodedOutputStream& out) const {
    head_.SerializeWithCachedSizes(&out);
    if (contents_ == nullptr) return;
    WriteFieldStart(GenericXdsConfig::kXdsConfigFieldNumber, any_size_, out);
    WriteField(Any::kTypeUrlFieldNumber, head_.type_url(), out);
    WriteField(Any::kValueFieldNumber, *contents_, out);
  }

 private:
  GenericXdsConfig head_;
  const std::string* contents_ = nullptr;  // null: not shown
  size_t any_size_ = 0;
  size_t size_;
};

class Config {
 public:
  Config(const ClientStatus& client, ResourceContents contents) {
    WriteNode(client.node, *head_.mutable_node());
    head_.set_client_scope(Utf8(client.snapshot.key));
    size_ = head_.ByteSizeLong();
    entries_.reserve(client.snapshot.resources.size());
    for (size_t i = 0; i < client.snapshot.resources.size(); ++i) {
      const Entry& entry = entries_.emplace_back(
          client.snapshot.resources[i],
          client.config_status.empty() ? ConfigStatus::kUnknown : client.config_status[i],
          contents);
      size_ += FieldSize(status::ClientConfig::kGenericXdsConfigsFieldNumber, entry.size());
    }
  }

  size_t size() const { return size_; }

  void Write(CodedOutputStream& out) const {
    head_.SerializeWithCachedSizes(&out);
    for (const Entry& entry : entries_) {
      WriteFieldStart(status::ClientConfig::kGenericXdsConfigsFieldNumber, entry.size(), out);
      entry.Write(out);
    }
  }

 private:
  status::ClientConfig head_;  // without entries
  std::vector<Entry> entries_;
  size_t size_ = 0;
};

// `write` writes exactly `size` bytes.
template <class Write>
absl::StatusOr<std::string> Message(size_t size, Write write) {
  if (size > kMostBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("client status is ", size, " bytes, the most that can be sent is ", kMostBytes,
                     "; ask with exclude_resource_contents"));
  }
  std::string bytes(size, '\0');
  {
    google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(size));
    CodedOutputStream out(&stream);           // writes its last bytes when it goes
    out.SetSerializationDeterministic(true);  // the node has maps in it
    write(out);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<ClientStatusRequest> ParseClientStatusRequest(absl::string_view message) {
  using Request = status::ClientStatusRequest;
  ClientStatusRequest request;
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
    if (field.Is(Request::kNodeMatchersFieldNumber)) request.has_node_matchers = true;
    if (field.number == Request::kExcludeResourceContentsFieldNumber &&
        field.type == WireType::kVarint) {
      request.exclude_resource_contents = field.varint != 0;
    }
  }
  if (reader.is_broken()) {
    return absl::InvalidArgumentError(
        absl::StrCat("client status request of ", message.size(),
                     " bytes cannot be parsed: truncated or not protobuf"));
  }
  return request;
}

absl::StatusOr<std::string> EncodeClientConfig(const ClientStatus& client,
                                               ResourceContents contents) {
  const Config config(client, contents);
  return Message(config.size(), [&config](CodedOutputStream& out) { config.Write(out); });
}

absl::StatusOr<std::string> EncodeClientStatusResponse(absl::Span<const ClientStatus> clients,
                                                       ResourceContents contents) {
  std::vector<Config> configs;
  configs.reserve(clients.size());
  size_t size = 0;
  for (const ClientStatus& client : clients) {
    const Config& config = configs.emplace_back(client, contents);
    size += FieldSize(status::ClientStatusResponse::kConfigFieldNumber, config.size());
  }
  return Message(size, [&configs](CodedOutputStream& out) {
    for (const Config& config : configs) {
      WriteFieldStart(status::ClientStatusResponse::kConfigFieldNumber, config.size(), out);
      config.Write(out);
    }
  });
}

}  // namespace holdfast
