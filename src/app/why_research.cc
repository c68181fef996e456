#include "app/why_research.h"

#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "app/csds_reader.h"
#include "app/fleet_dial.h"
#include "app/stream_trial.h"
#include "app/xds_server_address.h"
#include "explain/api_answer.h"
#include "explain/csds_answer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

// Resources that a control plane is asked for, one by one.
constexpr size_t kMostAsked = 200;
// Clients that it is asked for, to find who is meant where it only counts.
constexpr size_t kMostClientsAsked = 20;

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
  if (!ChooseClient()) {
    return WhyAnswer{{}, JudgeUnknownClient(why_.question, known_), known_, warnings_};
  }

  Chain chain = WalkAll();
  while (!chain.to_ask.empty() && known_.served.size() < kMostAsked) {
    status = AskFor(chain.to_ask);
    if (!status.ok()) return status;
    chain = WalkAll();
  }
  status = AskForUnlisted(chain);
  if (!status.ok()) return status;
  status = AskForNames(chain);
  if (!status.ok()) return status;
  known_.dialled = DialAll(chain.to_dial);
  chain = WalkAll();
  WhyVerdict verdict = Judge(why_.question, chain, known_);
  return WhyAnswer{std::move(chain), std::move(verdict), std::move(known_), std::move(warnings_)};
}

absl::Status WhyResearch::AskProcess() {
  const absl::StatusOr<std::string> answer =
      FetchClientStatus(options_.target, CsdsContents::kIncluded, options_.stop);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Fleet> fleet = FleetOfCsds(*answer, absl::Now(), KeepBytes::kYes);
  if (!fleet.ok()) return fleet.status();
  known_.time = fleet->time;
  known_.clients = std::move(fleet->clients);
  known_.is_told_by_client = true;
  TryServers();
  if (options_.server.empty()) return absl::OkStatus();

  // Both were named: what the process says stands, and the control plane explains it.
  absl::StatusOr<std::unique_ptr<ApiReader>> api = ApiReader::To(options_.server, options_.stop);
  if (!api.ok()) return api.status();
  absl::StatusOr<std::string> errors = (*api)->Get("/api/v1/errors");
  if (absl::IsUnavailable(errors.status())) {
    // Its admin port is not what clients talk to: no word on whether they have a control plane.
    warnings_.push_back(
        absl::StrCat(errors.status().message(), "; what follows is what the process says alone"));
    return absl::OkStatus();
  }
  if (!errors.ok()) return errors.status();
  absl::StatusOr<PlaneErrors> read = ErrorsOfApi(*errors);
  if (!read.ok()) return read.status();
  NoteIncomplete(read->incomplete);
  known_.errors = *std::move(read);
  known_.has_control_plane = true;
  api_ = *std::move(api);
  return absl::OkStatus();
}

absl::Status WhyResearch::AskControlPlane() {
  absl::StatusOr<std::unique_ptr<ApiReader>> api = ApiReader::To(options_.server, options_.stop);
  if (!api.ok()) return api.status();
  api_ = *std::move(api);
  known_.has_control_plane = true;
  const absl::StatusOr<std::string> errors = api_->Get("/api/v1/errors");
  if (!errors.ok()) return errors.status();
  absl::StatusOr<PlaneErrors> read_errors = ErrorsOfApi(*errors);
  if (!read_errors.ok()) return read_errors.status();
  NoteIncomplete(read_errors->incomplete);
  known_.errors = *std::move(read_errors);
  absl::StatusOr<Fleet> fleet = ClientsAt({});
  if (!fleet.ok()) return fleet.status();
  known_.time = fleet->time;
  known_.clients = std::move(fleet->clients);
  return why_.question.kind == Question::Kind::kClient ? AskForClient() : absl::OkStatus();
}

absl::Status WhyResearch::AskForClient() {
  absl::StatusOr<Fleet> fleet = ClientsAt({{"client", why_.question.text}});
  if (!fleet.ok()) return fleet.status();
  if (!fleet->clients.empty()) known_.client = std::move(fleet->clients.front());
  return absl::OkStatus();
}

absl::StatusOr<Fleet> WhyResearch::ClientsAt(const ApiReader::Query& query) {
  const absl::StatusOr<std::string> answer = api_->Get("/api/v1/clients", query);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<Fleet> fleet = FleetOfApi(*answer);
  if (fleet.ok()) NoteIncomplete(fleet->incomplete);
  return fleet;
}

absl::StatusOr<PlaneResources> WhyResearch::ResourcesAt(const ApiReader::Query& query) {
  const absl::StatusOr<std::string> answer = api_->Get("/api/v1/resources", query);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<PlaneResources> read = ResourcesOfApi(*answer);
  if (read.ok()) NoteIncomplete(read->incomplete);
  return read;
}

void WhyResearch::NoteIncomplete(const std::string& incomplete) {
  if (incomplete.empty() || !known_.incomplete.empty()) return;
  known_.incomplete = incomplete;
  warnings_.push_back(
      absl::StrCat("the answer of the control plane is not complete: ", incomplete));
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
    if (WorstWith(root, {*known_.client}) == nullptr && !own.empty() &&
        own.front().type == kListenerTypeName) {
      why_.roots = {own.front()};
    }
    return true;
  }
  if (const FleetClient* const worst = WorstWith(root, known_.clients)) {
    known_.client = *worst;
    return true;
  }
  if (!choose([](const FleetClient&) { return true; })) known_.client = FleetClient();
  return true;
}

absl::Status WhyResearch::AskFor(const std::vector<Link>& links) {
  for (const Link& link : links) {
    absl::StatusOr<PlaneResources> read = ResourcesAt({{"type", link.type}, {"name", link.name}});
    if (!read.ok()) return read.status();
    std::optional<PlaneResource>& served = known_.served[link];
    for (PlaneResource& resource : read->resources) {
      if (resource.resource == link) served = std::move(resource);
    }
  }
  return absl::OkStatus();
}

absl::Status WhyResearch::AskForUnlisted(const Chain& chain) {
  if (absl::c_none_of(chain.links, [](const ChainLink& link) { return link.is_unlisted; })) {
    return absl::OkStatus();
  }
  // It may have happened after they were asked for.
  absl::StatusOr<Fleet> fleet = ClientsAt({});
  if (!fleet.ok()) return fleet.status();
  known_.time = fleet->time;
  known_.clients = std::move(fleet->clients);
  size_t asked = 0;
  for (FleetClient& client : known_.clients) {
    if (client.more_resources == 0 || asked == kMostClientsAsked) continue;
    ++asked;
    absl::StatusOr<Fleet> whole = ClientsAt({{"client", client.scope}});
    if (!whole.ok()) return whole.status();
    // It may have left meanwhile.
    if (whole->clients.size() == 1) client = std::move(whole->clients.front());
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
    absl::StatusOr<PlaneResources> read = ResourcesAt({{"type", type}});
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
  const std::vector<XdsServerConfig>& configured = ServersFor(why_.question, *bootstrap_);
  for (const XdsServerConfig& server : configured) {
    const std::optional<std::string> address = AddressOfServer(server.server_uri);
    known_.servers.push_back({.address = address.value_or(server.server_uri),
                              .error = "",
                              .was_tried = address.has_value()});
    if (address.has_value()) addresses.push_back(*address);
  }
  const std::map<std::string, Dialled> dialled = DialAll(addresses);
  for (ServerReach& server : known_.servers) {
    if (server.was_tried) server.error = dialled.at(server.address).error;
  }
  if (known_.servers.empty()) return;
  // The first is whom clients ask.
  ServerReach& first = known_.servers.front();
  if (!first.was_tried || !first.error.empty()) return;
  first.error = TryStream(configured.front());
  first.takes_no_stream = !first.error.empty();
}

}  // namespace holdfast
