#include "wire/envelope.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "wire/piece_reader.h"
#include "wire/wire_reader.h"

namespace holdfast {
namespace {

// So many entries ahead of the one that is read, the next is fetched from memory.
constexpr size_t kReadAhead = 8;

constexpr absl::string_view kWrapperType = "envoy.service.discovery.v3.Resource";

// Whether `bytes` is a message at this level; `visit` sees each of its fields.
template <class Visitor>
bool ForEachField(absl::string_view bytes, Visitor visit) {
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) visit(field);
  return !reader.is_broken();
}

// google.protobuf.Any{type_url = 1, value = 2}. Parts of a field that comes twice are merged, as
// protobuf does, so this adds to what is already there.
bool ScanAny(absl::string_view bytes, absl::string_view& type_url, absl::string_view& value) {
  return ForEachField(bytes, [&](const WireField& field) {
    if (field.Is(1)) type_url = field.bytes;
    if (field.Is(2)) value = field.bytes;
  });
}

// A message whose field 1 is the string wanted: ResourceName, ControlPlane.
bool ScanFirstString(absl::string_view bytes, absl::string_view& text) {
  return ForEachField(bytes, [&text](const WireField& field) {
    if (field.Is(1)) text = field.bytes;
  });
}

// google.protobuf.Duration{seconds = 1, nanos = 2}.
struct WireDuration {
  uint64_t seconds = 0;
  uint64_t nanos = 0;

  absl::Duration value() const {
    return absl::Seconds(static_cast<int64_t>(seconds)) +
           absl::Nanoseconds(static_cast<int32_t>(static_cast<uint32_t>(nanos)));
  }
};

bool ScanDuration(absl::string_view bytes, WireDuration& duration) {
  return ForEachField(bytes, [&duration](const WireField& field) {
    if (field.type != WireType::kVarint) return;
    if (field.number == 1) duration.seconds = field.varint;
    if (field.number == 2) duration.nanos = field.varint;
  });
}

// Keeps the first problem of an entry: later ones usually follow from it.
void SetProblem(ResourceEntry& entry, std::string problem) {
  if (entry.problem.empty()) entry.problem = std::move(problem);
}

// A response of a million broken entries must not grow a text for each of them.
class Explanations {
 public:
  void Limit(ResourceEntry& entry) {
    if (entry.problem.empty() || ++count_ <= kMost) return;
    entry.problem = std::string("is broken too");  // short enough to need no memory of its own
  }

 private:
  static constexpr size_t kMost = 1000;
  size_t count_ = 0;
};

void CheckName(ResourceEntry& entry) {
  if (entry.name.empty()) {
    SetProblem(entry, "has no name");
  } else if (!IsUtf8(entry.name)) {
    entry.name = {};
    SetProblem(entry, "has a name that is not valid UTF-8");
  }
}

void CheckType(ResourceEntry& entry, absl::string_view response_url) {
  if (entry.type_url == response_url) return;  // spelt alike, as it nearly always is
  const absl::string_view response_type = WithoutTypeUrlPrefix(response_url);
  if (WithoutTypeUrlPrefix(entry.type_url) == response_type) return;
  SetProblem(entry, absl::StrCat("is of type ", Quoted(entry.type_url), " in a response of type ",
                                 Quoted(response_type)));
}

// envoy.service.discovery.v3.Resource, the wrapper of SotW and the entry of delta.
void ScanWrapper(absl::string_view bytes, ResourceEntry& entry) {
  absl::string_view long_name;
  WireDuration ttl;
  bool is_whole = true;
  entry.type_url = {};
  entry.body = {};
  is_whole &= ForEachField(bytes, [&](const WireField& field) {
    if (field.type != WireType::kLengthDelimited) return;
    switch (field.number) {
      case 1:
        entry.version = field.bytes;
        break;
      case 2:
        entry.has_body = true;
        is_whole &= ScanAny(field.bytes, entry.type_url, entry.body);
        break;
      case 3:
        entry.name = field.bytes;
        break;
      case 6:
        is_whole &= ScanDuration(field.bytes, ttl);
        entry.ttl = ttl.value();
        break;
      case 8:
        is_whole &= ScanFirstString(field.bytes, long_name);
        break;
      default:
        break;
    }
  });
  if (!is_whole) {
    // A name from broken bytes could be anybody's.
    entry.name = {};
    SetProblem(entry, absl::StrCat("cannot be parsed as ", kWrapperType));
    return;
  }
  if (!IsUtf8(entry.version)) {
    entry.version = {};
    SetProblem(entry, "has a version that is not valid UTF-8");
  }
  if (!entry.name.empty() && !long_name.empty()) {
    SetProblem(entry, "has both name and resource_name, only one may be set");
  }
  if (entry.name.empty()) entry.name = long_name;
  if (!entry.has_body && !entry.ttl.has_value()) SetProblem(entry, "has no resource inside");
}

// The name inside the message itself.
void ScanOwnName(ResourceEntry& entry, uint32_t name_field) {
  absl::string_view name;
  const bool is_whole = ForEachField(entry.body, [&](const WireField& field) {
    if (field.Is(name_field)) name = field.bytes;
  });
  if (!is_whole) {
    SetProblem(entry, absl::StrCat("cannot be parsed as ",
                                   BoundedText(WithoutTypeUrlPrefix(entry.type_url))));
    return;
  }
  entry.name = name;
}

// An entry of `resources` in SotW, whose bytes were put into `body` when it was found.
void FinishSotwEntry(ResourceEntry& entry, absl::string_view response_url, uint32_t name_field) {
  const absl::string_view any = entry.body;
  entry.body = {};
  entry.has_body = true;
  if (!ScanAny(any, entry.type_url, entry.body)) {
    SetProblem(entry, "cannot be parsed as google.protobuf.Any");
    return;
  }
  if (WithoutTypeUrlPrefix(entry.type_url) == kWrapperType) {
    entry.is_wrapped = true;
    entry.has_body = false;
    ScanWrapper(entry.body, entry);
  }
  if (entry.has_body) {
    CheckType(entry, response_url);
    if (entry.name.empty() && entry.problem.empty()) ScanOwnName(entry, name_field);
  }
  CheckName(entry);
}

void FinishDeltaEntry(ResourceEntry& entry, absl::string_view response_url) {
  const absl::string_view bytes = entry.body;
  ScanWrapper(bytes, entry);
  if (entry.has_body) CheckType(entry, response_url);
  CheckName(entry);
}

// ResourceError{resource_name = 1, error_detail = 2}; google.rpc.Status{code = 1, message = 2}.
ResourceError ScanResourceError(absl::string_view bytes) {
  ResourceError error;
  bool has_detail = false;
  bool is_whole = true;
  is_whole &= ForEachField(bytes, [&](const WireField& field) {
    if (field.Is(1)) is_whole &= ScanFirstString(field.bytes, error.name);
    if (!field.Is(2)) return;
    has_detail = true;
    is_whole &= ForEachField(field.bytes, [&error](const WireField& part) {
      if (part.number == 1 && part.type == WireType::kVarint) {
        error.code = static_cast<int32_t>(static_cast<uint32_t>(part.varint));
      }
      if (part.Is(2)) error.message = part.bytes;
    });
  });
  if (!is_whole) {
    error = ResourceError();
    error.problem = "cannot be parsed";
  } else if (!IsUtf8(error.name)) {
    error.name = {};
    error.problem = "has a name that is not valid UTF-8";
  } else if (error.name.empty()) {
    error.problem = "names no resource";
  } else if (!has_detail) {
    error.problem = "has no error_detail";
  } else if (error.code == 0) {
    error.problem = "has the code OK, which is no error";
  } else if (!IsUtf8(error.message)) {
    error.message = {};
    error.problem = "has a message that is not valid UTF-8";
  }
  return error;
}

// Where the two variants keep the same things.
struct Layout {
  absl::string_view noun;
  uint32_t control_plane;
  uint32_t resource_errors;
  bool is_delta;
};
constexpr Layout kSotw = {"discovery response", 6, 7, false};
constexpr Layout kDelta = {"delta discovery response", 7, 9, true};

// One field of a response. Entries are only remembered: they are read when the type of the response
// is known. False if a message inside is broken.
bool AddField(const Layout& layout, const WireField& field, DiscoveryResponse& response) {
  if (field.type != WireType::kLengthDelimited) return true;
  if (field.number == layout.control_plane) {
    return ScanFirstString(field.bytes, response.control_plane);
  }
  if (field.number == layout.resource_errors) {
    response.resource_errors.push_back(ScanResourceError(field.bytes));
    return true;
  }
  switch (field.number) {
    case 1:
      response.version_info = field.bytes;
      return true;
    case 2:
      response.resources.emplace_back().body = field.bytes;
      return true;
    case 4:
      response.type_url = field.bytes;
      return true;
    case 5:
      response.nonce = field.bytes;
      return true;
    case 6:  // removed_resources; in SotW it is the control plane, handled above
      response.removed_resources.push_back(field.bytes);
      return true;
    case 8:  // removed_resource_names
      if (!layout.is_delta) return true;
      return ScanFirstString(field.bytes, response.removed_resources.emplace_back());
    default:
      return true;
  }
}

bool IsEntry(const Layout& layout, const WireField& field) {
  return field.Is(2) || field.Is(layout.resource_errors) ||
         (layout.is_delta && (field.Is(6) || field.Is(8)));
}

// What is left of a response that cannot be used: enough to answer it (R1.12).
DiscoveryResponse HeadOf(const DiscoveryResponse& response, std::string problem) {
  return {.version_info = response.version_info,
          .type_url = response.type_url,
          .nonce = response.nonce,
          .control_plane = response.control_plane,
          .problem = std::move(problem)};
}

size_t SizeOf(absl::Span<const absl::string_view> pieces) {
  size_t size = 0;
  for (const absl::string_view piece : pieces) size += piece.size();
  return size;
}

absl::StatusOr<DiscoveryResponse> Scan(const Layout& layout,
                                       absl::Span<const absl::string_view> pieces,
                                       std::deque<std::string>& joined) {
  DiscoveryResponse response;
  PieceReader reader(pieces, joined);
  WireField field;
  size_t entries = 0;
  bool is_whole = true;
  while (reader.Next(field)) {
    if (IsEntry(layout, field) && ++entries > kMostEntries) continue;  // the nonce may come later
    is_whole &= AddField(layout, field, response);
  }
  if (reader.is_broken() || !is_whole) {
    return absl::InvalidArgumentError(absl::StrCat(
        layout.noun, " of ", SizeOf(pieces), " bytes cannot be parsed: truncated or not protobuf"));
  }
  if (!IsUtf8(response.version_info) || !IsUtf8(response.type_url) || !IsUtf8(response.nonce) ||
      !IsUtf8(response.control_plane)) {
    return absl::InvalidArgumentError(absl::StrCat(
        layout.noun, " cannot be parsed: its version, nonce, type_url or control plane is not ",
        "valid UTF-8"));
  }
  if (response.type_url.size() > kMostHeadBytes || response.nonce.size() > kMostHeadBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(layout.noun, " cannot be used: its type_url or nonce is longer than ",
                     kMostHeadBytes, " bytes"));
  }
  if (response.version_info.size() > kMostHeadBytes) {
    const size_t size = response.version_info.size();
    response.version_info = absl::string_view();
    return HeadOf(response, absl::StrCat(layout.noun, " has a version_info of ", size,
                                         " bytes, the most accepted is ", kMostHeadBytes));
  }
  if (entries > kMostEntries) {
    return HeadOf(response, absl::StrCat(layout.noun, " has ", entries,
                                         " entries, the most accepted is ", kMostEntries));
  }
  for (absl::string_view removed : response.removed_resources) {
    if (IsUtf8(removed)) continue;
    return HeadOf(response, absl::StrCat(layout.noun, " removes ", Quoted(removed),
                                         ", a name that is not valid UTF-8"));
  }
  return response;
}

}  // namespace

absl::string_view WithoutTypeUrlPrefix(absl::string_view type_url) {
  return absl::StripPrefix(type_url, kTypeUrlPrefix);
}

absl::StatusOr<DiscoveryResponse> ScanResponse(absl::string_view message,
                                               NameFieldOf name_field_of) {
  std::deque<std::string> joined;  // stays empty: one piece is not cut
  return ScanResponse(absl::MakeConstSpan(&message, 1), name_field_of, joined);
}

absl::StatusOr<DiscoveryResponse> ScanResponse(absl::Span<const absl::string_view> pieces,
                                               NameFieldOf name_field_of,
                                               std::deque<std::string>& joined) {
  absl::StatusOr<DiscoveryResponse> response = Scan(kSotw, pieces, joined);
  if (!response.ok()) return response;
  const uint32_t name_field = name_field_of(WithoutTypeUrlPrefix(response->type_url));
  Explanations explanations;
  std::vector<ResourceEntry>& entries = response->resources;
  for (size_t i = 0; i < entries.size(); ++i) {
    // A large message has left the processor's caches since the walk over its fields.
    if (i + kReadAhead < entries.size()) __builtin_prefetch(entries[i + kReadAhead].body.data());
    FinishSotwEntry(entries[i], response->type_url, name_field);
    explanations.Limit(entries[i]);
  }
  return response;
}

absl::StatusOr<DiscoveryResponse> ScanDeltaResponse(absl::string_view message) {
  std::deque<std::string> joined;  // stays empty: one piece is not cut
  absl::StatusOr<DiscoveryResponse> response =
      Scan(kDelta, absl::MakeConstSpan(&message, 1), joined);
  if (!response.ok()) return response;
  Explanations explanations;
  for (ResourceEntry& entry : response->resources) {
    FinishDeltaEntry(entry, response->type_url);
    explanations.Limit(entry);
  }
  return response;
}

}  // namespace holdfast
