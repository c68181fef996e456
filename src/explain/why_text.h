// What `holdfast why` prints: the chain, a line a link, and the verdict; for people or programs.
#pragma once

#include <string>
#include <vector>

#include "explain/chain.h"
#include "explain/knowledge.h"
#include "explain/verdict.h"

namespace holdfast {

struct WhyStyle {
  bool has_colour = false;  // says nothing that words and signs do not say
  bool is_wide = false;     // every link, also of chains that are good among some that are not
};

// One line each, without ends of line.
std::vector<std::string> WhyLines(const Chain& chain, const WhyVerdict& verdict,
                                  const Knowledge& known, const WhyStyle& style);

// {"asked":"xds:///web","cause":"rejected",...} on one line.
std::string WhyJson(const Question& question, const Chain& chain, const WhyVerdict& verdict,
                    const Knowledge& known);

}  // namespace holdfast
