#include "explain/chain.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "explain/unread_file.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr size_t kMostRoots = 20;
// Of a list of addresses: one refused connection after the other helps nobody.
constexpr size_t kMostAddressesShown = 20;

// Which client stands how with a resource.
struct Stand {
  const FleetClient* client;
  const FleetResource* resource;
};

class Walker {
 public:
  Walker(const Knowledge& known, absl::string_view authority)
      : known_(known), authority_(authority) {
    const auto add = [this](const FleetClient& client) {
      for (const FleetResource& resource : client.resources) {
        stands_[{resource.type, resource.name}].push_back({&client, &resource});
      }
    };
    if (known.client.has_value()) {
      add(*known.client);
    } else {
      for (const FleetClient& client : known.clients) add(client);
    }
    const auto add_deleted = [this](const FleetClient& client) {
      for (const FleetResource& resource : client.resources) {
        if (resource.was_deleted) deleted_.insert({resource.type, resource.name});
      }
    };
    if (known.client.has_value()) add_deleted(*known.client);
    for (const FleetClient& client : known.clients) add_deleted(client);
  }

  // `is_left_over`: what leads to it is gone itself, and only kept by the client.
  void Visit(const Link& link, size_t depth, bool is_left_over = false) {
    if (!seen_.insert(link).second) return;
    if (depth >= kMostDepth || chain_.links.size() >= kMostLinks) {
      ++chain_.left_out;
      return;
    }
    const size_t place = chain_.links.size();
    chain_.links.push_back(ResourceLink(link, depth, is_left_over));
    std::optional<Links> links = LinksFrom(link);
    if (!links.has_value()) {
      chain_.links[place].is_end_unknown = true;
      return;
    }
    chain_.links[place].leads_as_rejected =
        chain_.links[place].trouble == Trouble::kRejected && !IsToldByClient(link);
    ChainLink& made = chain_.links[place];
    (link.type == kClusterTypeName ? made.policy_remark : made.remark) = links->remark;
    if (!authority_.empty()) links = LinksFor(authority_, *std::move(links));
    if (!links.has_value()) {
      chain_.links[place].has_no_host = true;
      chain_.links[place].remark =
          absl::StrCat("no virtual host for this target: none has a domain that matches ",
                       BoundedText(authority_));
      return;
    }
    chain_.links[place].leads_nowhere = links->refers_to.empty() && links->addresses.empty();
    const bool is_gone = IsGone(chain_.links[place]);
    for (const Link& next : links->refers_to) Visit(next, depth + 1, is_gone);
    AddAddresses(place, links->addresses);
  }

  Chain Result() && { return std::move(chain_); }

 private:
  ChainLink ResourceLink(const Link& link, size_t depth, bool is_left_over) {
    ChainLink made;
    made.depth = depth;
    made.resource = link;
    made.was_deleted = deleted_.contains(link);
    AddStand(made);
    if (known_.has_control_plane) AddServed(made, is_left_over);
    if (made.trouble == Trouble::kServerError && !UnreadFileInAnswer(made.message).empty()) {
      made.may_be_unread = true;
      made.problems = ProblemsOfUnreadFiles(known_.errors.problems);
    }
    return made;
  }

  static bool IsGone(const ChainLink& link) {
    return link.trouble == Trouble::kDoesNotExist ||
           (link.trouble == Trouble::kServerError && link.code == "NOT_FOUND");
  }

  // What the client says, or the worst that clients say.
  void AddStand(ChainLink& made) const {
    const auto found = stands_.find(made.resource);
    if (found == stands_.end()) {
      made.is_asked_for = false;
      return;
    }
    const Stand& worst = *absl::c_max_element(found->second, [](const Stand& a, const Stand& b) {
      return a.resource->standing < b.resource->standing;
    });
    const FleetResource& told = *worst.resource;
    made.standing = told.standing;
    made.trouble = told.trouble;
    made.offered = told.offered;
    made.in_use = told.in_use;
    made.code = told.code;
    made.message = told.message;
    made.since = told.since;
    if (told.standing == Standing::kGood) return;
    made.client = worst.client->id;
    const auto troubled = absl::c_count_if(found->second, [](const Stand& stand) {
      return stand.resource->standing != Standing::kGood;
    });
    made.more_clients = static_cast<size_t>(troubled) - 1;
  }

  void AddServed(ChainLink& made, bool is_left_over) {
    const auto found = known_.served.find(made.resource);
    if (found == known_.served.end()) {
      chain_.to_ask.push_back(made.resource);
      return;
    }
    AddServedError(made);
    if (!found->second.has_value()) {
      if (!made.origin.has_value() && !made.is_asked_for && !is_left_over) MarkMissing(made);
      return;
    }
    const PlaneResource& served = *found->second;
    made.problems = served.problems;
    if (made.offered.empty()) made.offered = served.version;
    if (served.is_last_good) {
      made.is_last_good = true;
      made.standing = std::max(made.standing, Standing::kHeldBack);
    }
    if (known_.client.has_value()) return;
    made.clients = served.clients;
    made.is_asked_for = served.clients.all() > 0;
    AddCounts(served.clients, made);
    if (made.trouble == Trouble::kNone && !made.in_use.has_value()) made.in_use = served.version;
  }

  // Of clients not everything is listed that is not good with them, but all of it is counted. What
  // is served and not taken was rejected, or not answered for.
  static void AddCounts(const FleetType& clients, ChainLink& made) {
    const Standing counted = clients.failed > 0      ? Standing::kFailed
                             : clients.held_back > 0 ? Standing::kHeldBack
                             : clients.waiting > 0   ? Standing::kWaiting
                                                     : Standing::kGood;
    const uint64_t troubled = clients.all() - clients.good;
    if (!made.client.empty() && troubled > 0) {
      made.more_clients = std::max<size_t>(made.more_clients, troubled - 1);
    }
    if (counted <= made.standing) return;
    made.standing = counted;
    made.trouble = counted == Standing::kWaiting ? Trouble::kUnanswered : Trouble::kRejected;
    made.is_unlisted = true;
    made.more_clients = 0;
    made.in_use.reset();
    made.since.reset();
    for (std::string* said : {&made.client, &made.code, &made.message}) said->clear();
  }

  // What clients are told instead of the resource, and why.
  void AddServedError(ChainLink& made) const {
    const auto error = absl::c_find_if(known_.errors.errors, [&made](const PlaneError& candidate) {
      return candidate.resource == made.resource;
    });
    if (error == known_.errors.errors.end() || made.trouble == Trouble::kRejected) return;
    made.origin = error->origin;
    if (!error->clients.empty()) made.is_asked_for = true;
    if (made.standing <= Standing::kWaiting) made.standing = Standing::kFailed;
    // Any other code says that the control plane does not know whether it exists.
    const bool is_not_found = error->code.empty() || error->code == "NOT_FOUND";
    made.trouble = error->origin == PlaneError::Origin::kMissing && is_not_found
                       ? Trouble::kDoesNotExist
                       : Trouble::kServerError;
    if (!error->code.empty()) made.code = error->code;
    if (!error->message.empty()) made.message = error->message;
    if (made.client.empty() && !error->clients.empty()) {
      made.client = error->clients.front();
      made.more_clients = error->clients.size() - 1;
    }
  }

  // As a client that asked for it would be told.
  void MarkMissing(ChainLink& made) const {
    made.standing = Standing::kFailed;
    if (!made.was_deleted) made.problems = ProblemsOfUnreadFiles(known_.errors.problems);
    made.may_be_unread = !made.problems.empty();
    made.trouble = made.may_be_unread ? Trouble::kServerError : Trouble::kDoesNotExist;
    if (made.may_be_unread) {
      made.code = "UNAVAILABLE";
      made.message = made.problems.back();
    } else if (known_.errors.more == 0) {  // else it may be told something else
      made.code = "NOT_FOUND";
    }
  }

  bool IsToldByClient(const Link& link) const {
    const auto stands = stands_.find(link);
    return stands != stands_.end() && absl::c_any_of(stands->second, [](const Stand& stand) {
             return stand.resource->bytes.has_value();
           });
  }

  // Of what the client runs on, if that was told, else of what is served.
  std::optional<Links> LinksFrom(const Link& link) const {
    const auto stands = stands_.find(link);
    if (stands != stands_.end()) {
      for (const Stand& stand : stands->second) {
        if (!stand.resource->bytes.has_value()) continue;
        const absl::StatusOr<Links> links = LinksOf(link.type, *stand.resource->bytes);
        if (links.ok()) return *links;
      }
    }
    const auto served = known_.served.find(link);
    if (served == known_.served.end() || !served->second.has_value()) return std::nullopt;
    return served->second->links;
  }

  // What the link at this place leads to.
  void AddAddresses(size_t place, const std::vector<std::string>& addresses) {
    chain_.links[place].addresses = addresses.size();
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (i == kMostAddressesShown || chain_.links.size() >= kMostLinks) {
        chain_.left_out += addresses.size() - i;
        return;
      }
      ChainLink made;
      made.kind = ChainLink::Kind::kAddress;
      made.depth = chain_.links[place].depth + 1;
      made.resource = chain_.links[place].resource;
      made.address = addresses[i];
      const auto dialled = known_.dialled.find(made.address);
      if (dialled != known_.dialled.end()) {
        ++chain_.links[place].tried;
        made.dialled = dialled->second;
        if (!made.dialled->error.empty()) made.standing = Standing::kFailed;
      } else if (known_.dialled.size() + chain_.to_dial.size() < kMostDialled &&
                 !absl::c_linear_search(chain_.to_dial, made.address)) {
        chain_.to_dial.push_back(made.address);
      }
      chain_.links.push_back(std::move(made));
    }
  }

  const Knowledge& known_;
  const absl::string_view authority_;
  std::map<Link, std::vector<Stand>> stands_;
  std::set<Link> deleted_;  // as any client says
  std::set<Link> seen_;
  Chain chain_;
};

}  // namespace

Chain Walk(const std::vector<Link>& roots, const Knowledge& known, absl::string_view authority) {
  Walker walker(known, authority);
  for (const Link& root : roots) walker.Visit(root, 0);
  return std::move(walker).Result();
}

const FleetClient* WorstWith(const Link& link, const std::vector<FleetClient>& clients) {
  const FleetClient* worst = nullptr;
  Standing how = Standing::kGood;
  for (const FleetClient& client : clients) {
    for (const FleetResource& resource : client.resources) {
      if (resource.type != link.type || resource.name != link.name) continue;
      if (worst != nullptr && resource.standing <= how) continue;
      worst = &client;
      how = resource.standing;
    }
  }
  return worst;
}

std::vector<Link> RootsOf(const FleetClient& client) {
  std::vector<Link> roots;
  const auto add = [&roots](const FleetResource& resource, size_t most) {
    const Link link = {resource.type, resource.name};
    if (roots.size() < most && !absl::c_linear_search(roots, link)) roots.push_back(link);
  };
  const auto is_troubled = [](const FleetResource& resource) {
    return resource.standing != Standing::kGood;
  };
  // However many listeners there are, there is room for what is troubled.
  const auto troubled = static_cast<size_t>(absl::c_count_if(client.resources, is_troubled));
  const size_t most_listeners = kMostRoots - std::min(troubled, kMostRoots / 2);
  for (const FleetResource& resource : client.resources) {
    if (resource.type == kListenerTypeName) add(resource, most_listeners);
  }
  for (const FleetResource& resource : client.resources) {
    if (is_troubled(resource)) add(resource, kMostRoots);
  }
  if (!roots.empty()) return roots;
  for (const FleetResource& resource : client.resources) add(resource, kMostRoots);
  return roots;
}

}  // namespace holdfast
