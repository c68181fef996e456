// What is wrong, drawn from a chain: the first broken link, who said no, and what to do next.
//
// What makes calls fail comes before what is only held back; of equals the first in the chain
// counts, because what follows often only suffers from it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "explain/chain.h"
#include "explain/finding.h"
#include "explain/knowledge.h"

namespace holdfast {

struct WhyVerdict {
  Finding finding = Finding::kNothing;
  std::optional<size_t> broken;  // which link of the chain
  std::string summary;           // one line: what is broken, and how
  std::string said_by;  // "client web-1", "the control plane", "127.0.0.1:9001"; "": nobody
  std::string said;     // its words
  std::optional<absl::Time> when;
  std::string in_use;             // which version goes on being used, and what that means
  std::string next;               // what to do: one sentence
  std::vector<std::string> also;  // what else is wrong, a line each

  friend bool operator==(const WhyVerdict&, const WhyVerdict&) = default;
};

// What was asked, in the words of who asked.
struct Question {
  enum class Kind { kTarget, kClient, kResource };

  Kind kind = Kind::kTarget;
  std::string text;       // "xds:///web", "web-1", "cds/pay"
  std::string authority;  // of a target: what its calls say, and virtual hosts are chosen by
  // How to ask the control plane, for advice: "--server 127.0.0.1:18080".
  std::string server_option;

  friend bool operator==(const Question&, const Question&) = default;
};

WhyVerdict Judge(const Question& question, const Chain& chain, const Knowledge& known);

// Nobody of that name is connected.
WhyVerdict JudgeUnknownClient(const Question& question, const Knowledge& known);

}  // namespace holdfast
