// Whether somebody accepts connections at an address, seen from this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/knowledge.h"

namespace holdfast {

// Connects to all of them at once, to each only once, and closes again; nothing is sent. Each has a
// second, with looking up its name.
std::map<std::string, Dialled> DialAll(const std::vector<std::string>& named);

}  // namespace holdfast
