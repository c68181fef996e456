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

// One client: how its calls do. `now` is what was heard last, `rate` calls a second.
struct LiveLine {
  absl::string_view name;
  const ClientRecord& sum;
  const CallReport& now;
  double rate;
};
// Cut to so many columns, so that it can be written over; 0: not at all.
std::string TextOf(const LiveLine& line, size_t columns, const Style& style);

// What there is to say about the end of an act, beside the calls.
std::vector<std::string> Closing(const Act& act, const ActRecord& record, const Style& style);

// At most so many columns of it.
std::string CutTo(absl::string_view text, size_t columns);
// How many columns it takes; one a character.
size_t ColumnsOf(absl::string_view text);

}  // namespace holdfast
