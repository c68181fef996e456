// How the demo ends: a table of what happened to both clients, their words, and the ending.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "demo/story/act.h"
#include "demo/story/record.h"
#include "demo/story/style.h"

namespace holdfast {

struct ToldAct {
  Act act;
  ActRecord record;
};

// A line each.
struct Ending {
  std::vector<std::string> table;
  std::vector<std::string> words;   // what callers, or who reads the log, were told: all of it
  std::vector<std::string> broken;  // promises

  bool is_kept() const { return broken.empty(); }
};

Ending EndingOf(absl::Span<const ToldAct> acts, absl::string_view stock, const Style& style);

// The last lines of all.
std::vector<std::string> Conclusion(const Ending& ending, size_t acts, const Style& style);

}  // namespace holdfast
