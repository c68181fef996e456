// Events and effects of the dependency manager in one line each.
#include "absl/strings/str_join.h"
#include "channel/config/dependency_manager.h"

namespace holdfast {
namespace {

void Print(std::ostream& out, const ResourceArrived& event) {
  out << "ResourceArrived " << event.what;
}
void Print(std::ostream& out, const ResourceFailed& event) {
  out << "ResourceFailed " << event.what << " " << event.why;
}
void Print(std::ostream& out, const AmbientErrorChanged& event) {
  out << "AmbientErrorChanged " << event.what << " " << event.error;
}
void Print(std::ostream& out, const ClusterHeld& event) { out << "ClusterHeld " << event.cluster; }
void Print(std::ostream& out, const ClusterLetGo& event) {
  out << "ClusterLetGo " << event.cluster;
}

void Print(std::ostream& out, const ClusterResult& result) {
  if (!result.ok()) {
    out << result.status();
    return;
  }
  const char* separator = "";
  for (const LeafCluster& leaf : (*result)->leaves) {
    out << separator << leaf.cluster->name
        << (leaf.endpoints == nullptr ? " without endpoints" : "") << " (" << leaf.resolution_note
        << ")";
    separator = ", ";
  }
}

void Print(std::ostream& out, const WatchResource& effect) {
  out << "WatchResource " << effect.what;
}
void Print(std::ostream& out, const UnwatchResource& effect) {
  out << "UnwatchResource " << effect.what;
}
void Print(std::ostream& out, const ApplyConfig& effect) {
  out << "ApplyConfig";
  if (effect.change.routing != nullptr) {
    out << " routes " << effect.change.routing->routes->name << " virtual host "
        << effect.change.routing->virtual_host->name;
  }
  if (!effect.change.routing_note.empty()) {
    out << " routing note [" << effect.change.routing_note << "]";
  }
  for (const auto& [name, result] : effect.change.clusters) {
    out << " " << name << " = [";
    Print(out, result);
    out << "]";
  }
  if (!effect.change.removed.empty()) {
    out << " removed [" << absl::StrJoin(effect.change.removed, " ") << "]";
  }
}
void Print(std::ostream& out, const FailCalls& effect) { out << "FailCalls " << effect.why; }

}  // namespace

std::ostream& operator<<(std::ostream& out, const DependencyEvent& event) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, event);
  return out;
}

std::ostream& operator<<(std::ostream& out, const DependencyEffect& effect) {
  std::visit([&](const auto& its_kind) { Print(out, its_kind); }, effect);
  return out;
}

}  // namespace holdfast
