#include "control/inventory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "explain/links.h"

namespace holdfast {
namespace {

// Of the names in one entry.
constexpr size_t kMostClients = 100;

std::vector<std::pair<std::string, std::string>> Pairs(const std::vector<Link>& links) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(links.size());
  for (const Link& link : links) pairs.emplace_back(link.type, link.name);
  return pairs;
}

void AddLinks(const Resource& resource, ServedResource& shown) {
  absl::StatusOr<Links> links = LinksOf(resource.type(), resource.body());
  if (!links.ok()) return;
  shown.refers_to = Pairs(links->refers_to);
  shown.addresses = std::move(links->addresses);
  shown.unused_addresses = std::move(links->unused_addresses);
  shown.remark = std::move(links->remark);
  if (!links->virtual_hosts.has_value()) return;
  shown.virtual_hosts.emplace();
  for (HostLinks& host : *links->virtual_hosts) {
    shown.virtual_hosts->push_back({std::move(host.domains), Pairs(host.refers_to)});
  }
}

// Whoever was told an error, by name: an answer of ours, not a rejection of theirs.
std::map<ResourceKey, std::set<std::string>> WhoWasTold(const std::vector<StreamReport>& streams) {
  std::map<ResourceKey, std::set<std::string>> told;
  for (const StreamReport& stream : streams) {
    const std::string& id = stream.session.node.id;
    for (const TypeReport& type : stream.session.types) {
      for (const NameReport& name : type.names) {
        if (!name.error.has_value() || !name.rejected_version.empty()) continue;
        told[{type.type, name.name}].insert(id.empty() ? stream.peer : id);
      }
    }
  }
  return told;
}

absl::Status StatusOf(const NameError& error) {
  return absl::Status(static_cast<absl::StatusCode>(error.code), error.message);
}

}  // namespace

absl::string_view NameOf(NameErrorReport::Origin origin) {
  switch (origin) {
    case NameErrorReport::Origin::kConfigured:
      return "configured";
    case NameErrorReport::Origin::kInvalid:
      return "invalid";
    case NameErrorReport::Origin::kMissing:
      return "missing";
  }
  return "configured";
}

Selection Select(const View& view, const ResourceQuery& query) {
  Selection selection;
  const auto add = [&](const ResourcePtr& resource) {
    if (selection.resources.size() < query.most_resources) {
      selection.resources.push_back(resource);
    } else {
      ++selection.more;
    }
  };
  for (const auto& [type, of_type] : view.types) {
    if (!query.type.empty() && query.type != type) continue;
    if (query.name.empty()) {
      for (const ResourcePtr& resource : of_type->resources()) add(resource);
    } else if (const ResourcePtr* const found = of_type->Find(query.name)) {
      add(*found);
    }
  }
  return selection;
}

ResourcesReport ResourcesOf(const Selection& selection, const ResourceQuery& query,
                            const ResourceNotes& notes, const SessionWorker::Answer& answer) {
  ResourcesReport report;
  report.more_resources = selection.more;
  report.incomplete = answer.incomplete;
  report.resources.reserve(selection.resources.size());
  for (size_t i = 0; i < selection.resources.size(); ++i) {
    const Resource& resource = *selection.resources[i];
    ServedResource shown;
    shown.type = resource.type();
    shown.name = resource.name();
    shown.version = resource.version();
    shown.bytes = resource.body().size();
    shown.clients = answer.not_good[i];
    const size_t bad = shown.clients.waiting + shown.clients.held_back + shown.clients.failed;
    shown.clients.good = answer.followers[i] - std::min(answer.followers[i], bad);
    const auto problems = notes.problems.find(resource.key());
    if (problems != notes.problems.end()) shown.problems = problems->second;
    shown.is_last_good = notes.last_good.contains(resource.key());
    if (!query.name.empty()) AddLinks(resource, shown);
    report.resources.push_back(std::move(shown));
  }
  return report;
}

ErrorsReport ErrorsOf(const View& view, const ResourceNotes& notes,
                      const SessionWorker::Answer& answer) {
  const std::vector<StreamReport>& streams = answer.streams;
  std::map<ResourceKey, NameErrorReport> errors;
  using Origin = NameErrorReport::Origin;
  for (const auto& [type, of_type] : view.types) {
    for (const auto& [name, error] : of_type->errors()) {
      const ResourceKey key{type, name};
      errors[key].error = StatusOf(error);
      errors[key].origin = notes.invalid.contains(key) ? Origin::kInvalid : Origin::kConfigured;
    }
  }
  for (const StreamReport& stream : streams) {
    for (const TypeReport& type : stream.session.types) {
      for (const NameReport& name : type.names) {
        if (!name.error.has_value() || !name.rejected_version.empty()) continue;
        const auto [entry, is_new] = errors.try_emplace({type.type, name.name});
        if (!is_new) continue;
        entry->second.error = StatusOf(*name.error);
        entry->second.origin = Origin::kMissing;
      }
    }
  }
  const auto told = WhoWasTold(streams);
  ErrorsReport report;
  report.incomplete = answer.incomplete;
  for (auto& [key, error] : errors) {
    error.type = key.type;
    error.name = key.name;
    const auto clients = told.find(key);
    if (clients != told.end()) {
      for (const std::string& client : clients->second) {
        if (error.clients.size() == kMostClients) break;
        error.clients.push_back(client);
      }
      error.more_clients = clients->second.size() - error.clients.size();
    }
    report.errors.push_back(std::move(error));
  }
  return report;
}

}  // namespace holdfast
