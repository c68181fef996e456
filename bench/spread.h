// What a few measurements of the same thing come to. REQUIRES: at least one.
#pragma once

#include <algorithm>
#include <cmath>
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

// "0.99" of the values are at most this.
inline double Quantile(std::vector<double> values, double of) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(of * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace holdfast
