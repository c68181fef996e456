// The text of a NACK: every bad part of one response, by place and name, bounded.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

class NackText {
 public:
  // Below what control planes take, above what people read.
  static constexpr size_t kMostBytes = size_t{256} << 10;
  static constexpr size_t kMostBytesEach = size_t{4} << 10;

  // `list` is "resources" or "resource_errors"; an empty name is one that cannot be told.
  //   resources[3] cluster "pay": eds_cluster_config: field not present
  void Add(absl::string_view list, size_t index, absl::string_view noun, absl::string_view name,
           absl::string_view text);
  // About the response as a whole.
  void Add(absl::string_view text);

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  // "a; b; and 3 more".
  std::string Text() const;

 private:
  std::string text_;
  size_t count_ = 0;
  size_t left_out_ = 0;
};

}  // namespace holdfast
