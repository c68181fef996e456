// What a few measurements of the same thing come to. REQUIRES: at least one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace holdfast {

inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
inline double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
inline double Most(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace holdfast
