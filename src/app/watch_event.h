// One call to a watcher, as `holdfast watch` shows it: a line of JSON for programs, a line of a
// table for people.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace holdfast {

struct WatchEvent {
  enum class Kind { kResourceChanged, kAmbientError };

  Kind kind = Kind::kResourceChanged;
  std::string type;     // "cds"
  std::string name;     // "pay"
  size_t watcher = 1;   // from 1, among those of the same resource
  std::string version;  // of what the watcher uses from now on, or goes on using
  absl::Status status;  // OK: a value came, or an ambient error is over
  std::string server;   // the server_uri that it came from or failed at
  absl::Time time;
};

// {"event":"resource_changed","type":"cds","name":"pay",...}, without an end of line.
std::string JsonLine(const WatchEvent& event);

// How a table is drawn.
struct TableStyle {
  bool is_wide = false;       // the whole error text, and a column for the server
  bool has_colour = false;    // says nothing that words and signs do not say
  size_t resource_width = 8;  // of the column, at least
};

std::string TableHeader(const TableStyle& style);
std::string TableLine(const WatchEvent& event, const TableStyle& style);

}  // namespace holdfast
