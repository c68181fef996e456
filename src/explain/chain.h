// The way from a listener to addresses, one link after the other, as a client goes it.
//
//   0  listener web
//   1    route configuration web
//   2      cluster pay
//   3        endpoints pay
//   4          127.0.0.1:9001
//
// Each resource is there once, where it is first led to. Walking needs no world: what is not known
// yet is in `to_ask` and `to_dial`, and whoever can finds it out and walks again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "explain/fleet.h"
#include "explain/knowledge.h"
#include "explain/links.h"

namespace holdfast {

struct ChainLink {
  enum class Kind { kResource, kAddress };

  Kind kind = Kind::kResource;
  size_t depth = 0;
  Link resource;        // of an address: the resource that has it
  std::string address;  // HOST:PORT
  Standing standing = Standing::kGood;
  Trouble trouble = Trouble::kNone;
  bool is_asked_for = true;  // by the client, or by any
  std::string client;        // whose trouble it is
  size_t more_clients = 0;   // that have trouble with it too
  bool is_unlisted = false;  // such clients were counted, and who they are was not told
  std::string offered;
  std::optional<std::string> in_use;
  std::string code;
  std::string message;
  std::optional<absl::Time> since;
  std::optional<PlaneError::Origin> origin;  // of an error of the control plane
  bool was_deleted = false;                  // somebody had it before it was gone
  bool may_be_unread = false;                // a file that could never be read may have it
  bool is_last_good = false;                 // the control plane serves an older version
  std::vector<std::string> problems;         // what lint says
  bool leads_nowhere = false;                // it is known, and names neither resource nor address
  bool has_no_host = false;                  // routes without a virtual host for the target
  bool is_end_unknown = false;               // nobody told where it leads
  std::string remark;                        // what a gRPC client makes of it
  std::string policy_remark;                 // what Holdfast's channels make of a cluster's policy
  // What it leads to is that of the newest version, which the client rejected: not what it runs.
  bool leads_as_rejected = false;
  size_t addresses = 0;            // that it has, shown here or not
  size_t tried = 0;                // of them
  std::optional<Dialled> dialled;  // of an address that was tried
  // Of the control plane's view: how many clients stand how.
  std::optional<FleetType> clients;

  friend bool operator==(const ChainLink&, const ChainLink&) = default;
};

struct Chain {
  std::vector<ChainLink> links;      // each before those it leads to
  std::vector<Link> to_ask;          // the control plane
  std::vector<std::string> to_dial;  // each once, at most kMostDialled with those known
  size_t left_out = 0;               // links that were too many

  friend bool operator==(const Chain&, const Chain&) = default;
};

inline constexpr size_t kMostLinks = 300;
inline constexpr size_t kMostDepth = 20;
inline constexpr size_t kMostDialled = 16;

// `authority` is what a target's calls say: of routes, only the virtual host that speaks for it is
// followed, and only what a gRPC client calls. Empty: no target was asked about, so all of it is.
Chain Walk(const std::vector<Link>& roots, const Knowledge& known,
           absl::string_view authority = "");

// Of the clients that ask for it, the one that stands worst with it; null if none does.
const FleetClient* WorstWith(const Link& link, const std::vector<FleetClient>& clients);

// Where to begin for a client: its listeners, and what is not good and no listener led to yet may
// stand alone. At most 20.
std::vector<Link> RootsOf(const FleetClient& client);

}  // namespace holdfast
