#include "app/why_research.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "app/csds_reader.h"
#include "app/fleet_dial.h"
#include "explain/api_answer.h"
#include "explain/csds_answer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Resources that a control plane is asked for, one by one.
constexpr size_t kMostAsked = 200;

bool Has(const FleetClient& client, const Link& link) {
  return absl::c_any_of(client.resources, [&link](const FleetResource& resource) {
    return resource.type == link.type && resource.name == link.name;
  });
}

bool IsMissing(const ChainLink& link) {
  return link.kind == ChainLink::Kind::kResource &&
         (link.trouble == Trouble::kDoesNotExist || link.code == "NOT_FOUND");
}

}  // namespace

WhyResearch::WhyResearch(WhyQuestion why, WhyOptions options, const BootstrapConfig* bootstrap)
    : why_(std::move(why)), options_(std::move(options)), bootstrap_(bootstrap) {}

absl::StatusOr<WhyAnswer> WhyResearch::Answer() {
  absl::Status status = options_.target.empty() ? AskControlPlane() : AskProcess();
  if (!status.ok()) return status;
  if (!ChooseClient()) return WhyAnswer{{}, JudgeUnknownClient(why_.question, known_), known_};

  Chain chain = Walk(why_.roots, known_);
  while (!chain.to_ask.empty() && known_.served.size() < kMostAsked) {
    status = AskFor(chain.to_ask);
    if (!status.ok()) return status;
    chain = Walk(why_.roots, known_);
  }
  status = AskForNames(chain);
  if (!status.ok()) return status;
  known_.dialled = DialAll(chain.to_dial);
  chain = Walk(why_.roots, known_);
  WhyVerdict verdict = Judge(why_.question, chain, known_);
  return WhyAnswer{std::move(chain), std::move(verdict), std::move(known_)};
}

absl::Status WhyResearch::AskProcess() {
  const absl::StatusOr<std::string> answer =
      FetchClientStatus(options_.target, CsdsContents::kIncluded);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Fleet> fleet = FleetOfCsds(*answer, absl::Now(), KeepBytes::kYes);
  if (!fleet.ok()) return fleet.status();
  known_.time = fleet->time;
  known_.clients = std::move(fleet->clients);
  TryServers();
  if (options_.server.empty()) return absl::OkStatus();

  // Both were named: what the process says stands, and the control plane explains it.
  absl::StatusOr<std::unique_ptr<ApiReader>> api = ApiReader::To(options_.server);
  if (!api.ok()) return api.status();
  absl::StatusOr<std::string> errors = (*api)->Get("/api/v1/errors");
  if (absl::IsUnavailable(errors.status())) {
    known_.servers.push_back({options_.server, std::string(errors.status().message())});
    return absl::OkStatus();
  }
  if (!errors.ok()) return errors.status();
  absl::StatusOr<PlaneErrors> read = ErrorsOfApi(*errors);
  if (!read.ok()) return read.status();
  known_.errors = *std::move(read);
  known_.has_control_plane = true;
  api_ = *std::move(api);
  return absl::OkStatus();
}

absl::Status WhyResearch::AskControlPlane() {
  absl::StatusOr<std::unique_ptr<ApiReader>> api = ApiReader::To(options_.server);
  if (!api.ok()) return api.status();
  api_ = *std::move(api);
  known_.has_control_plane = true;
  const absl::StatusOr<std::string> errors = api_->Get("/api/v1/errors");
  if (!errors.ok()) return errors.status();
  absl::StatusOr<PlaneErrors> read_errors = ErrorsOfApi(*errors);
  if (!read_errors.ok()) return read_errors.status();
  known_.errors = *std::move(read_errors);
  const absl::StatusOr<std::string> clients = api_->Get("/api/v1/clients");
  if (!clients.ok()) return clients.status();
  absl::StatusOr<Fleet> fleet = FleetOfApi(*clients);
  if (!fleet.ok()) return fleet.status();
  known_.time = fleet->time;
  known_.clients = std::move(fleet->clients);
  return why_.question.kind == Question::Kind::kClient ? AskForClient() : absl::OkStatus();
}

absl::Status WhyResearch::AskForClient() {
  const absl::StatusOr<std::string> answer =
      api_->Get("/api/v1/clients", {{"client", why_.question.text}});
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Fleet> fleet = FleetOfApi(*answer);
  if (!fleet.ok()) return fleet.status();
  if (!fleet->clients.empty()) known_.client = std::move(fleet->clients.front());
  return absl::OkStatus();
}

// Of a control plane the view is that of all clients, unless one was named. Of a process it is that
// of one client in it. False: the question names a client that is not there.
bool WhyResearch::ChooseClient() {
  const auto choose = [this](auto matches) {
    const auto found = absl::c_find_if(known_.clients, matches);
    if (found == known_.clients.end()) return false;
    known_.client = *found;
    return true;
  };
  const std::string& text = why_.question.text;
  if (why_.question.kind == Question::Kind::kClient) {
    const bool found = known_.client.has_value() ||
                       (!options_.target.empty() && choose([&text](const FleetClient& client) {
                         return client.id == text || client.scope == text;
                       }));
    if (found) why_.roots = RootsOf(*known_.client);
    return found;
  }
  if (options_.target.empty()) return true;
  const Link root = why_.roots.front();
  if (choose([&text](const FleetClient& client) { return client.scope == text; })) {
    // Its bootstrap may name listeners in a way that is not known here.
    const std::vector<Link> own = RootsOf(*known_.client);
    if (!Has(*known_.client, root) && !own.empty() && own.front().type == kListenerTypeName) {
      why_.roots = {own.front()};
    }
    return true;
  }
  if (choose([&root](const FleetClient& client) { return Has(client, root); })) return true;
  if (!choose([](const FleetClient&) { return true; })) known_.client = FleetClient();
  return true;
}

absl::Status WhyResearch::AskFor(const std::vector<Link>& links) {
  for (const Link& link : links) {
    const absl::StatusOr<std::string> answer =
        api_->Get("/api/v1/resources", {{"type", link.type}, {"name", link.name}});
    if (!answer.ok()) return answer.status();
    absl::StatusOr<PlaneResources> read = ResourcesOfApi(*answer);
    if (!read.ok()) return read.status();
    std::optional<PlaneResource>& served = known_.served[link];
    for (PlaneResource& resource : read->resources) {
      if (resource.resource == link) served = std::move(resource);
    }
  }
  return absl::OkStatus();
}

// For what is not there: what is, to find what was meant.
absl::Status WhyResearch::AskForNames(const Chain& chain) {
  if (api_ == nullptr) return absl::OkStatus();
  std::set<std::string> types;
  for (const ChainLink& link : chain.links) {
    if (IsMissing(link)) types.insert(link.resource.type);
  }
  for (const std::string& type : types) {
    const absl::StatusOr<std::string> answer = api_->Get("/api/v1/resources", {{"type", type}});
    if (!answer.ok()) return answer.status();
    absl::StatusOr<PlaneResources> read = ResourcesOfApi(*answer);
    if (!read.ok()) return read.status();
    for (PlaneResource& resource : read->resources) {
      known_.names[type].insert(std::move(resource.resource.name));
    }
  }
  return absl::OkStatus();
}

// The xDS servers of the bootstrap, which clients on this machine probably have too.
void WhyResearch::TryServers() {
  if (bootstrap_ == nullptr) return;
  std::vector<std::string> addresses;
  for (const XdsServerConfig& server : bootstrap_->servers) {
    absl::string_view address = server.server_uri;
    absl::ConsumePrefix(&address, "dns:///");
    if (absl::StrContains(address, "/") || absl::StartsWith(address, "unix:")) continue;
    addresses.emplace_back(address);
  }
  for (auto& [address, dialled] : DialAll(addresses)) {
    known_.servers.push_back({address, std::move(dialled.error)});
  }
}

}  // namespace holdfast
