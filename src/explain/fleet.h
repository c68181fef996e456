// Clients of xDS and how they stand, whoever said it: the API of a control plane, or CSDS of one
// process. What `holdfast ps` shows and `holdfast why` starts from.
//
// A value; texts in it are as they came, from anybody: whoever prints them makes them fit first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

// How a client stands with a resource, each worse than the one before. A client stands as its worst
// resource does.
enum class Standing {
  kGood,      // it uses the newest version that there is
  kWaiting,   // asked for or sent, and no answer yet
  kHeldBack,  // it uses an older version: it refused the newest, or an error came
  kFailed,    // it has nothing to use
};

// "good", "waiting", "held_back", "failed": for programs.
absl::string_view NameOf(Standing standing);
// "held back" instead: for people.
absl::string_view WordFor(Standing standing);
std::optional<Standing> StandingNamed(absl::string_view name);

// What happened to a resource that is not good.
enum class Trouble {
  kNone,
  kRequested,     // asked for, and nothing came yet
  kUnanswered,    // sent, and the client has not answered for it yet
  kRejected,      // the client refused the newest version (NACK)
  kDoesNotExist,  // deleted, or never there
  kServerError,   // the control plane said so (TP3)
  kTimeout,       // the client waited as long as it waits
};

struct FleetResource {
  std::string type;  // "envoy.config.cluster.v3.Cluster"
  std::string name;
  Standing standing = Standing::kGood;
  Trouble trouble = Trouble::kNone;
  std::string offered;                // the newest version, also where it was refused; "": unknown
  std::optional<std::string> in_use;  // the version it runs on; nullopt: nothing
  std::string code;                   // of the error: "NOT_FOUND"; "": unknown or no error
  std::string message;
  std::optional<absl::Time> since;   // it stands so
  std::optional<std::string> bytes;  // of what it runs on, where that was told
  bool was_deleted = false;          // the client had it, and was told that it is gone

  friend bool operator==(const FleetResource&, const FleetResource&) = default;
};

// How many resources of a type stand how.
struct FleetType {
  std::string type;
  bool everything = false;  // it asks for all there is
  uint64_t good = 0;
  uint64_t waiting = 0;
  uint64_t held_back = 0;
  uint64_t failed = 0;

  uint64_t all() const { return good + waiting + held_back + failed; }

  friend bool operator==(const FleetType&, const FleetType&) = default;
};

struct FleetClient {
  std::string id;     // of its node, else where it comes from
  std::string scope;  // what tells apart clients of one id: a stream, or the target of a channel
  std::string node_cluster;
  std::string locality;    // "eu/eu-1/a"
  std::string user_agent;  // "holdfast 0.1.0"
  std::string peer;
  std::string protocol;  // "sotw", "delta"; "": unknown
  std::optional<absl::Time> connected_since;
  Standing standing = Standing::kGood;
  std::vector<FleetType> types;  // listeners, routes, clusters, endpoints, then others by name
  // Those that are not good, worst first; all of them where the source told all.
  std::vector<FleetResource> resources;
  uint64_t more_resources = 0;  // not good ones that the source left out

  friend bool operator==(const FleetClient&, const FleetClient&) = default;
};

// Clients and resources in one answer: more than any fleet has. What is larger is a mistake, or an
// attack on memory: each becomes a record of some hundred bytes, however small it was.
inline constexpr size_t kMostFleetRecords = 1'000'000;

struct Fleet {
  absl::Time time;                   // by the clock of who said it: ages are measured from here
  std::vector<FleetClient> clients;  // worst first, then by id and scope
  std::string incomplete;            // what it says is missing from its answer; "": nothing

  friend bool operator==(const Fleet&, const Fleet&) = default;
};

// Brings everything into the order that the structs promise.
void Arrange(Fleet& fleet);

// "lds", "rds", "cds" or "eds"; any other type as it is.
std::string ShortTypeOf(absl::string_view type);
// The way back, from a short or a full name, with or without "type.googleapis.com/".
std::string FullTypeOf(absl::string_view type);
// "cluster"; "resource of type acme.Thing" for what we do not know.
std::string NounOf(absl::string_view type);

// "cds/pay", made fit for a terminal.
std::string RefText(absl::string_view type, absl::string_view name);
// "cluster pay", made fit for a terminal.
std::string NounAndName(absl::string_view type, absl::string_view name);

// A version, made fit for a terminal: of a long hash the first eight digits, which tell it apart.
std::string ShortVersion(absl::string_view version);

// Since when the worst of its resources stands as it does; if all are good, since when it is
// connected or, where nobody knows that, since its newest resource came.
std::optional<absl::Time> SinceOf(const FleetClient& client);

// "REQUESTED (4 s of 15)": how long it waits and how long clients wait (R4.01).
std::string WaitingText(std::optional<absl::Duration> waited);

// What is wrong with a resource, in one line fit for a terminal; "" if nothing is. `now` is the
// time of the fleet.
std::string ReasonOf(const FleetResource& resource, absl::Time now);

}  // namespace holdfast
