// Something wrong in a configuration directory, and where.
#pragma once

#include <string>

namespace holdfast {

struct Problem {
  // An error: the resource, or the file if it has no place in a resource, is withheld. A warning:
  // it is served all the same.
  enum class Kind { kError, kWarning };
  Kind kind = Kind::kError;
  std::string file;  // as the user would type it
  // From 1; 0 if the problem is the file as a whole.
  int line = 0;
  int column = 0;
  std::string field;  // "resources[2].load_assignment.endpoints[0].priority"; may be empty
  std::string text;   // what, got, consequence, what to do

  friend bool operator==(const Problem&, const Problem&) = default;
};

// pay.yaml:4:3: error: resources[0].lb_policyy: unknown field of …; did you mean lb_policy?
std::string TextOf(const Problem& problem);

}  // namespace holdfast
