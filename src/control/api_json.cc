#include "control/api_json.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/did_you_mean.h"
#include "base/outside_text.h"
#include "control/json_writer.h"
#include "wire/envelope.h"
#include "xds/discovery.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

absl::Time TimeOf(WallTime time) { return absl::FromChrono(time); }

// What a client says of itself, and a name that it asks for, may be as long as a request.
constexpr size_t kMostText = 1000;

std::string Bounded(const std::string& text) {
  return text.size() <= kMostText ? text : BoundedText(text, kMostText);
}

// What every answer begins with; the object stays open.
void Begin(absl::Time now, const ControlPlaneHealth& health, const std::string& incomplete,
           JsonWriter& json) {
  json.BeginObject()
      .Member("time", now)
      .Member("commit", static_cast<size_t>(health.commit))
      .Member("synced", health.is_synced);
  if (!incomplete.empty()) json.Member("incomplete", incomplete);
}

void WriteCounts(const DeliveryCounts& counts, JsonWriter& json) {
  json.Member("good", counts.good)
      .Member("waiting", counts.waiting)
      .Member("held_back", counts.held_back)
      .Member("failed", counts.failed);
}

void WriteStatus(const absl::Status& status, JsonWriter& json) {
  json.Member("code", absl::StatusCodeToString(status.code())).Member("message", status.message());
}

void WriteTexts(absl::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteBounded(absl::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.Value(Bounded(text));
  json.EndArray();
}

void Write(const ClientNode& node, JsonWriter& json) {
  json.BeginObject()
      .Member("id", Bounded(node.id))
      .Member("cluster", Bounded(node.cluster))
      .Member("region", Bounded(node.region))
      .Member("zone", Bounded(node.zone))
      .Member("sub_zone", Bounded(node.sub_zone))
      .Member("user_agent", Bounded(node.user_agent))
      .EndObject();
}

void Write(const ClientType& type, JsonWriter& json) {
  json.BeginObject()
      .Member("type", Bounded(ApiTypeName(type.type)))
      .Member("type_url", absl::StrCat(kTypeUrlPrefix, Bounded(type.type)))
      .Member("everything", type.everything)
      .Member("version", type.version)
      .Member("acked_version", type.acked_version);
  if (type.acked_time.has_value()) json.Member("acked_time", TimeOf(*type.acked_time));
  WriteCounts(type.counts, json);
  json.EndObject();
}

void Write(const ClientResource& resource, JsonWriter& json) {
  json.BeginObject()
      .Member("type", Bounded(ApiTypeName(resource.type)))
      .Member("name", Bounded(resource.name))
      .Member("state", NameOf(resource.state))
      .Member("version", resource.version);
  if (resource.client_version.has_value()) json.Member("client_version", *resource.client_version);
  if (!resource.error.ok()) {
    json.Key("error").BeginObject();
    WriteStatus(resource.error, json);
    json.EndObject();
  }
  if (resource.since.has_value()) json.Member("since", TimeOf(*resource.since));
  json.EndObject();
}

void Write(const ClientEvent& event, JsonWriter& json) {
  json.BeginObject().Member("time", TimeOf(event.time)).Member("event", NameOf(event.kind));
  if (!event.type.empty()) json.Member("type", Bounded(ApiTypeName(event.type)));
  if (!event.name.empty()) json.Member("name", Bounded(event.name));
  if (!event.version.empty()) json.Member("version", event.version);
  if (!event.message.empty()) json.Member("message", event.message);
  json.EndObject();
}

void Write(const NameErrorReport& error, JsonWriter& json);

template <class List>
void WriteAll(absl::string_view key, const List& list, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const auto& one : list) Write(one, json);
  json.EndArray();
}

// How many resources may be written of all clients together. Each has the same share of them, and
// what one does not need is the others'.
class Allowance {
 public:
  Allowance(const std::vector<ClientReport>& clients, size_t most) {
    std::vector<size_t> wanted;
    wanted.reserve(clients.size());
    for (const ClientReport& client : clients) wanted.push_back(client.resources.size());
    std::sort(wanted.begin(), wanted.end());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const size_t in_need = wanted.size() - i;
      share_ = most / in_need;
      if (wanted[i] > share_) {
        rest_ = most % in_need;
        return;
      }
      most -= wanted[i];
    }
    // There is enough for all.
    share_ = wanted.empty() ? 0 : wanted.back();
  }

  size_t Take(size_t wanted) {
    if (wanted <= share_) return wanted;
    if (rest_ == 0) return share_;
    --rest_;
    return share_ + 1;
  }

 private:
  size_t share_ = 0;
  size_t rest_ = 0;  // of the division: the first have one more
};

void Write(const ClientReport& client, size_t shown, JsonWriter& json) {
  json.BeginObject()
      .Member("client", Bounded(client.client))
      .Member("stream", client.stream)
      .Key("node");
  Write(client.node, json);
  json.Member("peer", client.peer)
      .Member("protocol", client.is_delta ? "delta" : "sotw")
      .Member("connected_since", TimeOf(client.connected_since))
      .Member("state", NameOf(client.state));
  WriteAll("types", client.types, json);
  WriteAll("resources", absl::MakeConstSpan(client.resources).first(shown), json);
  json.Member("more_resources", client.more_resources + client.resources.size() - shown);
  WriteAll("events", client.events, json);
  json.EndObject();
}

void WriteLinks(const std::vector<std::pair<std::string, std::string>>& links, JsonWriter& json) {
  json.Key("refers_to").BeginArray();
  for (const auto& [type, name] : links) {
    json.BeginObject().Member("type", ApiTypeName(type)).Member("name", name).EndObject();
  }
  json.EndArray();
}

void Write(const ServedResource& resource, bool with_links, JsonWriter& json) {
  json.BeginObject()
      .Member("type", ApiTypeName(resource.type))
      .Member("name", resource.name)
      .Member("version", resource.version)
      .Member("bytes", resource.bytes)
      .Key("clients")
      .BeginObject();
  WriteCounts(resource.clients, json);
  json.EndObject();
  if (with_links) {
    WriteLinks(resource.refers_to, json);
    WriteTexts("addresses", resource.addresses, json);
    WriteTexts("unused_addresses", resource.unused_addresses, json);
    json.Member("remark", resource.remark);
    if (resource.virtual_hosts.has_value()) {
      json.Key("virtual_hosts").BeginArray();
      for (const ServedResource::Host& host : *resource.virtual_hosts) {
        json.BeginObject();
        WriteTexts("domains", host.domains, json);
        WriteLinks(host.refers_to, json);
        json.EndObject();
      }
      json.EndArray();
    }
  }
  WriteTexts("problems", resource.problems, json);
  json.Member("last_good", resource.is_last_good).EndObject();
}

void Write(const NameErrorReport& error, JsonWriter& json) {
  json.BeginObject()
      .Member("type", Bounded(ApiTypeName(error.type)))
      .Member("name", Bounded(error.name));
  WriteStatus(error.error, json);
  json.Member("origin", NameOf(error.origin));
  WriteBounded("clients", error.clients, json);
  json.Member("more_clients", error.more_clients).EndObject();
}

constexpr std::pair<absl::string_view, absl::string_view> kShortNames[] = {
    {"lds", kListenerTypeName},
    {"rds", kRouteConfigTypeName},
    {"cds", kClusterTypeName},
    {"eds", kEndpointsTypeName}};

}  // namespace

std::string ApiTypeName(absl::string_view type) {
  for (const auto& [short_name, type_name] : kShortNames) {
    if (type == type_name) return std::string(short_name);
  }
  return std::string(type);
}

absl::StatusOr<std::string> TypeOfApiName(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const auto& [short_name, type_name] : kShortNames) {
    if (name == short_name) return std::string(type_name);
    known.push_back(short_name);
  }
  const absl::string_view type = WithoutTypeUrlPrefix(name);
  if (absl::StrContains(type, '.')) return std::string(type);
  const std::optional<absl::string_view> meant = DidYouMean(name, known);
  return absl::InvalidArgumentError(
      absl::StrCat("type ", Quoted(name), " is unknown",
                   meant.has_value() ? absl::StrCat("; did you mean ", *meant, "?") : "",
                   "; there are lds, rds, cds, eds and full names of types\n"));
}

std::string ClientsJson(absl::Time now, const ControlPlaneHealth& health,
                        const ClientsReport& report, size_t most_resources) {
  JsonWriter json;
  Begin(now, health, report.incomplete, json);
  json.Key("clients").BeginArray();
  Allowance allowance(report.clients, most_resources);
  for (const ClientReport& client : report.clients) {
    Write(client, allowance.Take(client.resources.size()), json);
  }
  json.EndArray().EndObject();
  return json.TakeText() + "\n";
}

std::string ResourcesJson(absl::Time now, const ControlPlaneHealth& health,
                          const ResourcesReport& report, bool with_links) {
  JsonWriter json;
  Begin(now, health, report.incomplete, json);
  json.Key("resources").BeginArray();
  for (const ServedResource& resource : report.resources) Write(resource, with_links, json);
  json.EndArray().Member("more_resources", report.more_resources).EndObject();
  return json.TakeText() + "\n";
}

std::string ErrorsJson(absl::Time now, const ControlPlaneHealth& health,
                       const ErrorsReport& report) {
  JsonWriter json;
  Begin(now, health, report.incomplete, json);
  const size_t shown = std::min(kMostErrors, report.errors.size());
  WriteAll("errors", absl::MakeConstSpan(report.errors).first(shown), json);
  json.Member("more_errors", report.errors.size() - shown);
  WriteTexts("problems", health.problems, json);
  json.EndObject();
  return json.TakeText() + "\n";
}

}  // namespace holdfast
