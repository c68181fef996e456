// What a session knows of its client, for people: whoever runs which version, who said no, and why.
//
// Times are those of the session's events.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/catalog/view.h"
#include "control/session/ledger.h"
#include "holdfast/control/client_report.h"

namespace holdfast {

struct ReportOptions {
  bool with_good = false;      // those that are not good are always there
  size_t most_names = 10'000;  // in all
  // Nothing else is looked at, so that a question costs what it asks for; then nothing is counted,
  // nor are there good ones. Null and false: everything is.
  const std::vector<ResourceKey>* only = nullptr;
  bool only_errors = false;  // what the client was told in place of a resource
};

struct NameReport {
  std::string name;
  DeliveryState state = DeliveryState::kGood;
  std::string version;  // of what is served; empty: nothing is
  HeldPtr runs;         // null: nothing
  std::optional<NameError> error;
  std::string rejected_version;             // of the response; empty: the error is not the client's
  absl::Time since = absl::InfinitePast();  // unknown, if it is good
};

struct TypeReport {
  std::string type;
  bool everything = false;
  std::string version;
  std::string acked_version;
  absl::Time acked_at = absl::InfinitePast();
  DeliveryCounts counts;
  std::vector<NameReport> names;  // by name, each kind: those that are not good come first
  size_t more_names = 0;
};

struct LedgerEvent {
  absl::Time time;
  ClientEvent::Kind kind;
  std::string type;
  std::string name;
  std::string version;
  std::string message;
};

struct SessionReport {
  ClientNode node;
  std::vector<TypeReport> types;
  std::vector<LedgerEvent> events;  // the last few, oldest first
};

// How many resources, and since when the longest.
struct HeldBack {
  size_t resources = 0;
  absl::Time since = absl::InfiniteFuture();

  friend bool operator==(const HeldBack&, const HeldBack&) = default;
};

struct TypeState;
// Adds at most `options.most_names` names.
TypeReport ReportOf(const TypeState& type, const View& view, const ReportOptions& options);

}  // namespace holdfast
