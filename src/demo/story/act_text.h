// What is shown of an act while it goes on and when it is over.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "demo/story/act.h"
#include "demo/story/record.h"
#include "demo/story/style.h"

namespace holdfast {

inline constexpr absl::string_view kHoldfast = "Holdfast";

// "stock gRPC", and its version.
std::string StockName(absl::string_view version);

// The heading of an act, and what is told about it.
std::vector<std::string> Heading(const Act& act, size_t number, size_t count, const Style& style);

// How the calls of a client do while an act goes on.
struct LiveLine {
  absl::string_view name;
  const ClientRecord& sum;
  const CallReport& now;  // what was heard last
  double rate;            // calls a second
};
// Cut to so many columns, so that it can be written over.
std::string TextOf(const LiveLine& line, size_t columns, const Style& style);

// What became of both when an act is over; what they said is cut to so many columns, because all of
// it comes at the end.
std::vector<std::string> Closing(const Act& act, const ActRecord& record, absl::string_view stock,
                                 size_t columns, const Style& style);

// What became of a client, in a few words.
struct Outcome {
  std::string text;
  bool is_good = true;
};
Outcome OutcomeOf(const Promise& promise, const ClientRecord& client);

// What it said about that: to callers, or in its log; empty if it had no reason to.
std::string ErrorOf(const Promise& promise, const ClientRecord& client);

// Broken at spaces into lines of so many columns; a longer word has a line of its own.
std::vector<std::string> WrappedAt(absl::string_view text, size_t columns);

}  // namespace holdfast
