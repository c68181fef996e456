#include "explain/api_answer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json_value.h"
#include "base/outside_text.h"
#include "bootstrap/json_fields.h"
#include "bootstrap/json_reader.h"

namespace holdfast {
namespace {

// A fleet of fifty thousand clients; what is larger nobody reads in one piece.
constexpr JsonLimits kLimits = {.bytes = size_t{64} << 20, .values = 5'000'000};

// The members of one object.
class Members {
 public:
  Members(const JsonValue& object, JsonFindings& findings)
      : object_(object), findings_(findings), reader_(object, findings) {}

  std::string Text(absl::string_view key, Presence presence = Presence::kOptional) const {
    const JsonValue* value = reader_.String(key, presence);
    return value == nullptr ? "" : *value->if_string();
  }
  bool Flag(absl::string_view key) const {
    const JsonValue* value = reader_.Boolean(key);
    return value != nullptr && *value->if_bool();
  }
  uint64_t Count(absl::string_view key) const {
    constexpr double kMost = 1e15;  // a double still counts by ones there
    const JsonValue* value = Find(key);
    if (value == nullptr || value->is_null()) return 0;
    const double* number = value->if_number();
    if (number == nullptr || *number < 0 || *number > kMost || std::floor(*number) != *number) {
      JsonFindings::Field field(findings_, absl::StrCat(".", key));
      findings_.AddError(absl::StrCat("must be a count (got ", value->Kind(), ")"), value->at);
      return 0;
    }
    return static_cast<uint64_t>(*number);
  }
  // Absent, null and "" are no time.
  std::optional<absl::Time> Time(absl::string_view key) const {
    const std::string text = Text(key);
    if (text.empty()) return std::nullopt;
    absl::Time time;
    std::string error;
    if (absl::ParseTime(absl::RFC3339_full, text, &time, &error) && time > absl::InfinitePast() &&
        time < absl::InfiniteFuture()) {
      return time;
    }
    JsonFindings::Field field(findings_, absl::StrCat(".", key));
    findings_.AddError(absl::StrCat("must be a time of RFC 3339 (got ", Quoted(text), ")"),
                       Find(key)->at);
    return std::nullopt;
  }
  std::vector<std::string> Texts(absl::string_view key) const {
    std::vector<std::string> texts;
    const JsonValue* array = reader_.Array(key);
    if (array == nullptr) return texts;
    size_t index = 0;
    for (const JsonValue& element : *array->if_array()) {
      JsonFindings::Field field(findings_, absl::StrCat(".", key, "[", index++, "]"));
      if (element.if_string() != nullptr) {
        texts.push_back(*element.if_string());
      } else {
        findings_.AddError(absl::StrCat("must be a string (got ", element.Kind(), ")"), element.at);
      }
    }
    return texts;
  }
  void Each(absl::string_view key, Presence presence,
            absl::FunctionRef<void(const Members&)> visit) const {
    reader_.EachObject(key, presence,
                       [&](const JsonValue& element) { visit(Members(element, findings_)); });
  }
  // False if it is not there.
  bool With(absl::string_view key, absl::FunctionRef<void(const Members&)> visit) const {
    const JsonValue* inner = Find(key);
    if (inner == nullptr || inner->is_null() || reader_.Object(key) == nullptr) return false;
    JsonFindings::Field field(findings_, absl::StrCat(".", key));
    visit(Members(*inner, findings_));
    return true;
  }
  bool Has(absl::string_view key) const {
    const JsonValue* value = Find(key);
    return value != nullptr && !value->is_null();
  }
  void Refuse(absl::string_view key, absl::string_view text) const {
    JsonFindings::Field field(findings_, absl::StrCat(".", key));
    findings_.AddError(text, Find(key) == nullptr ? object_.at : Find(key)->at);
  }
  Link Resource() const {
    return {FullTypeOf(Text("type", Presence::kRequired)), Text("name", Presence::kRequired)};
  }
  Standing StandingAt(absl::string_view key) const {
    const std::string name = Text(key, Presence::kRequired);
    const std::optional<Standing> standing = StandingNamed(name);
    if (!standing.has_value() && Has(key)) {
      Refuse(key,
             absl::StrCat("must be good, waiting, held_back or failed (got ", Quoted(name), ")"));
    }
    return standing.value_or(Standing::kGood);
  }
  void ReadCounts(FleetType& type) const {
    type.good = Count("good");
    type.waiting = Count("waiting");
    type.held_back = Count("held_back");
    type.failed = Count("failed");
  }

 private:
  const JsonValue* Find(absl::string_view key) const {
    const JsonValue::Object& members = *object_.if_object();
    const auto found = members.find(std::string(key));
    return found == members.end() ? nullptr : &found->second;
  }

  const JsonValue& object_;
  JsonFindings& findings_;
  const ObjectReader reader_;
};

// What is served and not taken was rejected by the client, or not answered for yet; what is not
// served it was told about.
Trouble TroubleOf(const FleetResource& resource) {
  if (resource.standing == Standing::kGood) return Trouble::kNone;
  if (resource.standing == Standing::kWaiting) {
    return resource.offered.empty() ? Trouble::kRequested : Trouble::kUnanswered;
  }
  if (!resource.offered.empty()) return Trouble::kRejected;
  return resource.code == "NOT_FOUND" || resource.code.empty() ? Trouble::kDoesNotExist
                                                               : Trouble::kServerError;
}

FleetResource ResourceOf(const Members& members) {
  FleetResource resource;
  Link link = members.Resource();
  resource.type = std::move(link.type);
  resource.name = std::move(link.name);
  resource.standing = members.StandingAt("state");
  resource.offered = members.Text("version");
  if (members.Has("client_version")) resource.in_use = members.Text("client_version");
  resource.since = members.Time("since");
  members.With("error", [&](const Members& error) {
    resource.code = error.Text("code");
    resource.message = error.Text("message");
  });
  resource.trouble = TroubleOf(resource);
  return resource;
}

// The control plane had it, and told the client that it is gone. An event of several resources
// names the first of them, and the others are gone since the same moment.
void NoteDeleted(const Members& event, std::vector<FleetResource>& resources) {
  if (event.Text("event") != "deleted") return;
  const std::string type = FullTypeOf(event.Text("type"));
  const std::string name = event.Text("name");
  const std::optional<absl::Time> time = event.Time("time");
  const bool is_of_several = absl::EndsWith(event.Text("message"), " more)");
  for (FleetResource& resource : resources) {
    if (resource.type != type || resource.trouble != Trouble::kDoesNotExist) continue;
    const bool is_among_several = is_of_several && time.has_value() && resource.since == time;
    if (resource.name == name || is_among_several) resource.was_deleted = true;
  }
}

FleetClient ClientOf(const Members& members) {
  FleetClient client;
  client.id = members.Text("client", Presence::kRequired);
  client.scope = members.Text("stream");
  members.With("node", [&](const Members& node) {
    client.node_cluster = node.Text("cluster");
    client.locality =
        absl::StrCat(node.Text("region"), "/", node.Text("zone"), "/", node.Text("sub_zone"));
    if (client.locality == "//") client.locality.clear();
    client.user_agent = node.Text("user_agent");
  });
  client.peer = members.Text("peer");
  client.protocol = members.Text("protocol");
  client.connected_since = members.Time("connected_since");
  client.standing = members.StandingAt("state");
  members.Each("types", Presence::kOptional, [&](const Members& type) {
    FleetType& added = client.types.emplace_back();
    added.type = FullTypeOf(type.Text("type", Presence::kRequired));
    added.everything = type.Flag("everything");
    type.ReadCounts(added);
  });
  members.Each("resources", Presence::kOptional,
               [&](const Members& resource) { client.resources.push_back(ResourceOf(resource)); });
  client.more_resources = members.Count("more_resources");
  members.Each("events", Presence::kOptional,
               [&](const Members& event) { NoteDeleted(event, client.resources); });
  return client;
}

PlaneError::Origin OriginOf(const Members& error) {
  const std::string origin = error.Text("origin");
  if (origin == "missing") return PlaneError::Origin::kMissing;
  if (origin == "invalid") return PlaneError::Origin::kInvalid;
  return PlaneError::Origin::kConfigured;
}

std::vector<Link> RefersTo(const Members& members) {
  std::vector<Link> links;
  members.Each("refers_to", Presence::kOptional,
               [&links](const Members& link) { links.push_back(link.Resource()); });
  return links;
}

Links LinksOf(const Members& members) {
  Links links;
  links.refers_to = RefersTo(members);
  links.addresses = members.Texts("addresses");
  links.unused_addresses = members.Texts("unused_addresses");
  links.remark = members.Text("remark");
  if (!members.Has("virtual_hosts")) return links;
  std::vector<HostLinks>& hosts = links.virtual_hosts.emplace();
  members.Each("virtual_hosts", Presence::kOptional, [&hosts](const Members& host) {
    hosts.push_back({host.Texts("domains"), RefersTo(host)});
  });
  return links;
}

PlaneResource ServedOf(const Members& members) {
  PlaneResource served;
  served.resource = members.Resource();
  served.version = members.Text("version");
  members.With("clients", [&](const Members& counts) { counts.ReadCounts(served.clients); });
  served.clients.type = served.resource.type;
  served.links = LinksOf(members);
  served.problems = members.Texts("problems");
  served.is_last_good = members.Flag("last_good");
  return served;
}

// Reads the one object of an answer.
absl::Status ReadAnswer(absl::string_view json, absl::FunctionRef<void(const Members&)> read) {
  const absl::StatusOr<JsonValue> value = ReadJson(json, kLimits);
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the answer is no JSON: ", value.status().message()));
  }
  if (value->if_object() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the answer must be an object (got ", value->Kind(), ")"));
  }
  JsonFindings findings;
  read(Members(*value, findings));
  if (findings.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the answer is not as expected: ", BoundedText(findings.Errors(), 1000)));
}

absl::Time TimeOfAnswer(const Members& members) {
  const std::optional<absl::Time> time = members.Time("time");
  if (!time.has_value() && !members.Has("time")) members.Refuse("time", "must be there");
  return time.value_or(absl::UnixEpoch());
}

}  // namespace

absl::StatusOr<Fleet> FleetOfApi(absl::string_view json, size_t most_records) {
  Fleet fleet;
  size_t records = 0;
  absl::Status status = ReadAnswer(json, [&](const Members& answer) {
    fleet.time = TimeOfAnswer(answer);
    fleet.incomplete = answer.Text("incomplete");
    answer.Each("clients", Presence::kRequired, [&](const Members& client) {
      if (records > most_records) return;
      fleet.clients.push_back(ClientOf(client));
      records += 1 + fleet.clients.back().resources.size();
    });
  });
  if (!status.ok()) return status;
  if (records > most_records) {
    return absl::InvalidArgumentError(
        absl::StrCat("the answer has more than ", most_records, " clients and resources"));
  }
  Arrange(fleet);
  return fleet;
}

absl::StatusOr<PlaneResources> ResourcesOfApi(absl::string_view json) {
  PlaneResources served;
  absl::Status status = ReadAnswer(json, [&served](const Members& answer) {
    served.time = TimeOfAnswer(answer);
    served.is_synced = answer.Flag("synced");
    served.incomplete = answer.Text("incomplete");
    served.has_more = answer.Count("more_resources") > 0;
    answer.Each("resources", Presence::kRequired, [&served](const Members& resource) {
      served.resources.push_back(ServedOf(resource));
    });
  });
  if (!status.ok()) return status;
  return served;
}

absl::StatusOr<PlaneErrors> ErrorsOfApi(absl::string_view json) {
  PlaneErrors served;
  absl::Status status = ReadAnswer(json, [&served](const Members& answer) {
    answer.Each("errors", Presence::kRequired, [&served](const Members& error) {
      served.errors.push_back({error.Resource(), error.Text("code"), error.Text("message"),
                               OriginOf(error), error.Texts("clients")});
    });
    served.more = answer.Count("more_errors");
    served.problems = answer.Texts("problems");
    served.incomplete = answer.Text("incomplete");
  });
  if (!status.ok()) return status;
  return served;
}

}  // namespace holdfast
