// What the checks of a simulation found: the first promise that was broken, in words.
#pragma once

#include <string>
#include <utility>

namespace holdfast {

class Findings {
 public:
  // Later ones usually follow from the first.
  void Add(std::string what) {
    if (first_.empty()) first_ = std::move(what);
  }

  bool ok() const { return first_.empty(); }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

}  // namespace holdfast
