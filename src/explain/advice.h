// What to do next, one concrete sentence for each finding.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "explain/chain.h"
#include "explain/verdict.h"

namespace holdfast {

struct AdviceContext {
  const Question& question;
  const ChainLink* link = nullptr;    // the broken one, if one is
  const ChainLink* parent = nullptr;  // the one that leads to it
  std::string meant;                  // the nearest name that is there
  std::string addresses;              // "127.0.0.1:9001, 127.0.0.1:9002"
  bool takes_no_stream = false;       // the control plane, which can be reached
};

std::string AdviceFor(Finding finding, const AdviceContext& context);

}  // namespace holdfast
