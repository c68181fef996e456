// Orders for a running command, a line each, from a file that may be a terminal or a pipe.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

class OrderInput {
 public:
  // Reads from this file, which must stay open.
  explicit OrderInput(int file) : file_(file) {}

  // To be called when there is something to read: hands out the lines that are complete, without
  // their ends, and at the end of the input the last one too. False at the end.
  bool ReadSome(const std::function<void(size_t number, absl::string_view line)>& handle);

 private:
  void HandOutLines(const std::function<void(size_t number, absl::string_view line)>& handle);

  const int file_;
  size_t lines_ = 0;
  std::string unfinished_;
};

}  // namespace holdfast
