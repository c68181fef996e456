// What `holdfast ps` prints: a line a client, worst first, with what is not good at it.
//
//   CLIENT  STATE        AGE  TYPES                    REASON
//   web-1   ▲ held back  3m   lds 1/1 cds 12/13        cds/pay: rejected by the client: ...
//   web-2   ✔ good       2h   lds 1/1 cds 13/13
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explain/fleet.h"

namespace holdfast {

struct PsStyle {
  bool is_wide = false;     // more columns, all reasons, whole
  bool has_colour = false;  // says nothing that words and signs do not say
  size_t width = 0;         // of the terminal; 0: there is none
};

// One line each, the first is the header, without ends of line. REQUIRES: there are clients.
std::vector<std::string> PsLines(const Fleet& fleet, const PsStyle& style);

// {"time":"…","clients":[{"client":"web-1","state":"held_back",...}]} on one line, nothing
// shortened.
std::string PsJson(const Fleet& fleet);

}  // namespace holdfast
