// The words of a verdict: what happened to a link of the chain, who said so, and what is in use.
#pragma once

#include <string>

#include "explain/chain.h"
#include "explain/finding.h"
#include "explain/knowledge.h"

namespace holdfast {

// "cluster pay: client web-1 rejected version 7"
std::string SummaryOf(Finding finding, const ChainLink& link, const Knowledge& known);

// Which version goes on being used, and what that means; "" for an address.
std::string InUseText(const ChainLink& link, const Knowledge& known);

struct Words {
  std::string who;
  std::string said;
};
Words WordsOf(Finding finding, const ChainLink& link, const Knowledge& known);

}  // namespace holdfast
