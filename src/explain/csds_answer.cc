#include "explain/csds_answer.h"

#include <cstdint>
#include <map>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "explain/field_path.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// envoy.admin.v3.ClientResourceStatus.
enum ResourceStatus : uint64_t {
  kUnknown = 0,
  kRequested = 1,
  kDoesNotExist = 2,
  kAcked = 3,
  kNacked = 4,
  kReceivedError = 5,
  kTimedOut = 6,
  // Of ours: what a control plane sent, and the client has not answered for.
  kUnanswered = 100,
};

// envoy.service.status.v3.ClientConfigStatus, of a whole type: other numbers for the same words.
ResourceStatus OfClientConfigStatus(uint64_t status) {
  constexpr ResourceStatus kMeaning[] = {kUnknown, kRequested, kAcked, kNacked, kReceivedError};
  return status < std::size(kMeaning) ? kMeaning[status] : kUnknown;
}

// envoy.service.status.v3.ConfigStatus, how a control plane sees it: SYNCED, NOT_SENT, STALE,
// ERROR.
ResourceStatus OfConfigStatus(uint64_t status) {
  constexpr ResourceStatus kMeaning[] = {kUnknown, kAcked, kRequested, kUnanswered, kNacked};
  return status < std::size(kMeaning) ? kMeaning[status] : kUnknown;
}

// google.protobuf.Timestamp; nullopt for what is no time of ours.
std::optional<absl::Time> TimeOf(std::optional<absl::string_view> timestamp) {
  constexpr uint64_t kEndOf9999 = 253'402'300'799;
  if (!timestamp.has_value()) return std::nullopt;
  const uint64_t seconds = NumberAt(*timestamp, 1);
  const uint64_t nanos = NumberAt(*timestamp, 2);
  if (seconds == 0 || seconds > kEndOf9999 || nanos > 999'999'999) return std::nullopt;
  return absl::FromUnixSeconds(static_cast<int64_t>(seconds)) +
         absl::Nanoseconds(static_cast<int64_t>(nanos));
}

// CSDS has no field for a code; some put it before the text: "NOT_FOUND: no such cluster".
void SplitCode(absl::string_view details, FleetResource& resource) {
  for (int code = 1; code <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++code) {
    const std::string name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
    absl::string_view rest = details;
    if (!absl::ConsumePrefix(&rest, name) || !absl::ConsumePrefix(&rest, ": ")) continue;
    resource.code = name;
    resource.message = std::string(rest);
    return;
  }
  resource.message = std::string(details);
}

// In the words of our own client: of a deletion, and of an error that made it drop what it had.
bool SaysThatItWasThere(const FleetResource& resource) {
  const bool is_withdrawn =
      resource.trouble == Trouble::kDoesNotExist ||
      (resource.trouble == Trouble::kServerError && resource.code == "NOT_FOUND");
  return is_withdrawn && (absl::StrContains(resource.message, "deleted: version ") ||
                          absl::StrContains(resource.message, " is no longer used, because "));
}

void Judge(ResourceStatus status, FleetResource& resource) {
  const Standing with_error = resource.in_use.has_value() ? Standing::kHeldBack : Standing::kFailed;
  switch (status) {
    case kAcked:
      resource.standing = Standing::kGood;
      return;
    case kNacked:
      resource.trouble = Trouble::kRejected;
      resource.standing = with_error;
      return;
    case kDoesNotExist:
      resource.trouble = Trouble::kDoesNotExist;
      resource.standing = with_error;
      return;
    case kReceivedError:
      resource.trouble = Trouble::kServerError;
      resource.standing = with_error;
      return;
    case kTimedOut:
      resource.trouble = Trouble::kTimeout;
      resource.standing = with_error;
      return;
    case kUnanswered:
      resource.trouble = Trouble::kUnanswered;
      resource.standing = Standing::kWaiting;
      resource.offered.clear();  // The version that was told is the one in use.
      return;
    case kUnknown:
    case kRequested:
      break;
  }
  resource.trouble = Trouble::kRequested;
  resource.standing = Standing::kWaiting;
}

// One resource as any of the messages tells it.
struct Told {
  std::string type;
  absl::string_view name;
  absl::string_view version;
  std::optional<absl::string_view> contents;  // an Any
  std::optional<absl::string_view> last_updated;
  std::optional<absl::string_view> error_state;
  ResourceStatus status = kUnknown;
};

class Reader {
 public:
  explicit Reader(KeepBytes keep_bytes) : keep_bytes_(keep_bytes) {}

  // A ClientConfig.
  FleetClient Client(absl::string_view config) {
    client_ = FleetClient();
    ReadNode(TextAt(config, {1}));
    client_.scope = std::string(TextAt(config, {4}));
    ForEachAt(config, {3}, [this](absl::string_view entry) { ReadGeneric(entry); });
    ForEachAt(config, {2}, [this](absl::string_view per_type) { ReadPerXds(per_type); });
    SumUp();
    return std::move(client_);
  }

 private:
  void ReadNode(absl::string_view node) {
    client_.id = std::string(TextAt(node, {1}));
    client_.node_cluster = std::string(TextAt(node, {2}));
    client_.locality =
        absl::StrJoin({TextAt(node, {4, 1}), TextAt(node, {4, 2}), TextAt(node, {4, 3})}, "/");
    if (client_.locality == "//") client_.locality.clear();
    const absl::string_view agent = TextAt(node, {6}), version = TextAt(node, {7});
    client_.user_agent = absl::StrCat(agent, version.empty() ? "" : " ", version);
  }

  // GenericXdsConfig.
  void ReadGeneric(absl::string_view entry) {
    ResourceStatus status = static_cast<ResourceStatus>(NumberAt(entry, 7));
    // A control plane that waits for a client's answer says so here alone.
    const ResourceStatus seen = OfConfigStatus(NumberAt(entry, 6));
    if (status == kUnknown || (status == kAcked && seen == kUnanswered)) status = seen;
    Add({.type = FullTypeOf(TextAt(entry, {1})),
         .name = TextAt(entry, {2}),
         .version = TextAt(entry, {3}),
         .contents = FieldAt(entry, {4}),
         .last_updated = FieldAt(entry, {5}),
         .error_state = FieldAt(entry, {8}),
         .status = status});
  }

  // PerXdsConfig: the dump of one type, as envoy.admin.v3 has it.
  void ReadPerXds(absl::string_view per_type) {
    ResourceStatus status = OfClientConfigStatus(NumberAt(per_type, 7));
    if (status == kUnknown) status = OfConfigStatus(NumberAt(per_type, 1));
    const size_t before = client_.resources.size();
    std::string type;
    const auto read = [&](uint32_t field, absl::string_view type_name, uint32_t list) {
      ForEachAt(per_type, {field}, [&](absl::string_view dump) {
        type = std::string(type_name);
        ForEachAt(dump, {list}, [&](absl::string_view entry) { ReadDumped(type, entry, status); });
      });
    };
    ForEachAt(per_type, {2}, [&](absl::string_view dump) {
      type = std::string(kListenerTypeName);
      ForEachAt(dump, {3}, [&](absl::string_view entry) { ReadDumpedListener(entry, status); });
    });
    read(3, kClusterTypeName, 3);
    read(3, kClusterTypeName, 4);  // warming
    read(4, kRouteConfigTypeName, 3);
    read(6, kEndpointsTypeName, 3);
    AddWholeType(type, status, before);
  }

  // Trouble of a whole type that none of its entries tells of.
  void AddWholeType(const std::string& type, ResourceStatus status, size_t before) {
    if (status != kNacked && status != kReceivedError) return;
    for (size_t i = before; i < client_.resources.size(); ++i) {
      if (client_.resources[i].standing > Standing::kWaiting) return;
    }
    Add({.type = type.empty() ? "xds" : type,
         .name = "*",
         .version = "",
         .contents = std::nullopt,
         .last_updated = std::nullopt,
         .error_state = std::nullopt,
         .status = status});
  }

  // DynamicCluster, DynamicRouteConfig, DynamicEndpointConfig.
  void ReadDumped(const std::string& type, absl::string_view entry, ResourceStatus of_type) {
    const auto own = static_cast<ResourceStatus>(NumberAt(entry, 5));
    Told told = {.type = type,
                 .name = TextAt(entry, {2, 2, 1}),
                 .version = TextAt(entry, {1}),
                 .contents = FieldAt(entry, {2}),
                 .last_updated = FieldAt(entry, {3}),
                 .error_state = FieldAt(entry, {4}),
                 .status = own == kUnknown ? of_type : own};
    if (told.name.empty()) told.name = TextAt(entry, {4, 1, 2, 1});  // of what was refused
    Add(told);
  }

  // DynamicListener; what it runs on is its active state.
  void ReadDumpedListener(absl::string_view entry, ResourceStatus of_type) {
    const auto own = static_cast<ResourceStatus>(NumberAt(entry, 6));
    Add({.type = std::string(kListenerTypeName),
         .name = TextAt(entry, {1}),
         .version = TextAt(entry, {2, 1}),
         .contents = FieldAt(entry, {2, 2}),
         .last_updated = FieldAt(entry, {2, 3}),
         .error_state = FieldAt(entry, {5}),
         .status = own == kUnknown ? of_type : own});
  }

  void Add(const Told& told) {
    FleetResource resource;
    resource.type = told.type;
    resource.name = std::string(told.name);
    resource.offered = std::string(told.version);
    resource.since = TimeOf(told.last_updated);
    // gRPC C++ before A88 keeps version and contents of what was deleted in view, and uses nothing
    // of it; whoever keeps using it says why it is not the newest.
    const bool is_gone = told.status == kDoesNotExist && !told.error_state.has_value();
    if (!is_gone && (told.contents.has_value() || !told.version.empty())) {
      resource.in_use = std::string(told.version);
      if (told.contents.has_value() && keep_bytes_ == KeepBytes::kYes) {
        resource.bytes = std::string(TextAt(*told.contents, {2}));
      }
    }
    Judge(told.status, resource);
    if (told.error_state.has_value() && resource.standing != Standing::kGood) {
      SplitCode(TextAt(*told.error_state, {3}), resource);
      // The version of a response that the resource was not in is no version of the resource.
      resource.offered =
          resource.trouble == Trouble::kRejected ? std::string(TextAt(*told.error_state, {4})) : "";
      resource.since = TimeOf(FieldAt(*told.error_state, {2}));
    }
    resource.was_deleted = (is_gone && !told.version.empty()) || SaysThatItWasThere(resource);
    client_.resources.push_back(std::move(resource));
  }

  void SumUp() {
    std::map<std::string, FleetType> types;
    for (const FleetResource& resource : client_.resources) {
      FleetType& type = types[resource.type];
      type.type = resource.type;
      ++(resource.standing == Standing::kGood       ? type.good
         : resource.standing == Standing::kWaiting  ? type.waiting
         : resource.standing == Standing::kHeldBack ? type.held_back
                                                    : type.failed);
      client_.standing = std::max(client_.standing, resource.standing);
    }
    for (auto& [name, type] : types) client_.types.push_back(std::move(type));
  }

  const KeepBytes keep_bytes_;
  FleetClient client_;
};

absl::Status NoAnswer(absl::string_view message, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the answer of ", message.size(), " bytes ", what,
                                                 ": truncated, or not what CSDS answers"));
}

// The entries of the dumps in PerXdsConfig, as Reader::ReadPerXds finds them, and the whole types.
void CountDumped(absl::string_view message, absl::FunctionRef<void(absl::string_view)> count) {
  ForEachAt(message, {1, 2}, count);
  for (const uint32_t dump : {2, 3, 4, 6}) ForEachAt(message, {1, 2, dump, 3}, count);
  ForEachAt(message, {1, 2, 3, 4}, count);
}

// Whether the messages that are read deeper can be read.
bool AreMessages(absl::string_view message, std::initializer_list<uint32_t> path) {
  bool are = true;
  ForEachAt(message, path, [&are](absl::string_view part) { are = are && IsMessage(part); });
  return are;
}

}  // namespace

absl::StatusOr<Fleet> FleetOfCsds(absl::string_view message, absl::Time now, KeepBytes keep_bytes) {
  if (!IsMessage(message)) return NoAnswer(message, "cannot be parsed");
  if (!AreMessages(message, {1}) || !AreMessages(message, {1, 1}) ||
      !AreMessages(message, {1, 2}) || !AreMessages(message, {1, 3})) {
    return NoAnswer(message, "has clients that cannot be parsed");
  }
  size_t records = 0;
  const auto count = [&records](absl::string_view) { ++records; };
  ForEachAt(message, {1}, count);
  ForEachAt(message, {1, 3}, count);
  CountDumped(message, count);
  if (records > kMostFleetRecords) {
    return absl::InvalidArgumentError(absl::StrCat("the answer of ", message.size(), " bytes has ",
                                                   records, " clients and resources, more than ",
                                                   kMostFleetRecords));
  }
  Fleet fleet;
  fleet.time = now;
  Reader reader(keep_bytes);
  ForEachAt(message, {1},
            [&](absl::string_view config) { fleet.clients.push_back(reader.Client(config)); });
  Arrange(fleet);
  return fleet;
}

}  // namespace holdfast
