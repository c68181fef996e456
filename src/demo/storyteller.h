// Tells the story: plays each act of the script on a stage, shows how both clients do, and judges.
//
// Everything happens on the thread that calls. Nothing is left behind, however it ends.
#pragma once

#include "absl/status/statusor.h"
#include "demo/story/style.h"

namespace holdfast {

struct DemoOptions {
  bool waits_for_enter = false;  // between acts, until the end of the input
  bool is_fast = false;
  Style style;
  bool redraws = false;  // stdout is a terminal on which one can go back
};

// Whether Holdfast kept its promises. CANCELLED: the file `stop_event` became readable, or nobody
// reads the story; any other error says what went wrong with the demo itself.
absl::StatusOr<bool> TellStory(const DemoOptions& options, int stop_event);

}  // namespace holdfast
