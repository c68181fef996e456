#include "control/api_json.h"

#include "absl/status/status.h"
#include "control/json_writer.h"
#include "xds/discovery.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

absl::Time TimeOf(WallTime time) { return absl::FromChrono(time); }

// What every answer begins with; the object stays open.
void Begin(absl::Time now, const ControlPlaneHealth& health, JsonWriter& json) {
  json.BeginObject()
      .Member("time", now)
      .Member("commit", static_cast<size_t>(health.commit))
      .Member("synced", health.is_synced);
}

void WriteCounts(const DeliveryCounts& counts, JsonWriter& json) {
  json.Member("good", counts.good)
      .Member("waiting", counts.waiting)
      .Member("held_back", counts.held_back)
      .Member("failed", counts.failed);
}

void Write(const ClientNode& node, JsonWriter& json) {
  json.BeginObject()
      .Member("id", node.id)
      .Member("cluster", node.cluster)
      .Member("region", node.region)
      .Member("zone", node.zone)
      .Member("sub_zone", node.sub_zone)
      .Member("user_agent", node.user_agent)
      .EndObject();
}

void Write(const ClientType& type, JsonWriter& json) {
  json.BeginObject()
      .Member("type", ApiTypeName(type.type))
      .Member("type_url", absl::StrCat(kTypeUrlPrefix, type.type))
      .Member("everything", type.everything)
      .Member("version", type.version)
      .Member("acked_version", type.acked_version);
  if (type.acked_time.has_value()) json.Member("acked_time", TimeOf(*type.acked_time));
  WriteCounts(type.counts, json);
  json.EndObject();
}

void Write(const ClientResource& resource, JsonWriter& json) {
  json.BeginObject()
      .Member("type", ApiTypeName(resource.type))
      .Member("name", resource.name)
      .Member("state", NameOf(resource.state))
      .Member("version", resource.version);
  if (resource.client_version.has_value()) json.Member("client_version", *resource.client_version);
  if (!resource.error.ok()) {
    json.Key("error")
        .BeginObject()
        .Member("code", absl::StatusCodeToString(resource.error.code()))
        .Member("message", resource.error.message())
        .EndObject();
  }
  if (resource.since.has_value()) json.Member("since", TimeOf(*resource.since));
  json.EndObject();
}

void Write(const ClientEvent& event, JsonWriter& json) {
  json.BeginObject().Member("time", TimeOf(event.time)).Member("event", NameOf(event.kind));
  if (!event.type.empty()) json.Member("type", ApiTypeName(event.type));
  if (!event.name.empty()) json.Member("name", event.name);
  if (!event.version.empty()) json.Member("version", event.version);
  if (!event.message.empty()) json.Member("message", event.message);
  json.EndObject();
}

void Write(const ClientReport& client, JsonWriter& json);

template <class List>
void WriteAll(absl::string_view key, const List& list, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const auto& one : list) Write(one, json);
  json.EndArray();
}

void Write(const ClientReport& client, JsonWriter& json) {
  json.BeginObject().Member("client", client.client).Member("stream", client.stream).Key("node");
  Write(client.node, json);
  json.Member("peer", client.peer)
      .Member("protocol", client.is_delta ? "delta" : "sotw")
      .Member("connected_since", TimeOf(client.connected_since))
      .Member("state", NameOf(client.state));
  WriteAll("types", client.types, json);
  WriteAll("resources", client.resources, json);
  json.Member("more_resources", client.more_resources);
  WriteAll("events", client.events, json);
  json.EndObject();
}

}  // namespace

std::string ApiTypeName(absl::string_view type) {
  if (type == kListenerTypeName) return "lds";
  if (type == kRouteConfigTypeName) return "rds";
  if (type == kClusterTypeName) return "cds";
  if (type == kEndpointsTypeName) return "eds";
  return std::string(type);
}

std::string ClientsJson(absl::Time now, const ControlPlaneHealth& health,
                        const std::vector<ClientReport>& clients) {
  JsonWriter json;
  Begin(now, health, json);
  WriteAll("clients", clients, json);
  json.EndObject();
  return json.TakeText() + "\n";
}

}  // namespace holdfast
