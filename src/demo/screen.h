// Where the story is told: lines that stay, and on a terminal lines that are written over.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast {

class Screen {
 public:
  // `redraws`: the file is a terminal on which one can go back.
  Screen(int file, bool redraws) : file_(file), redraws_(redraws) {}
  // Leaves the last live lines where they are.
  ~Screen() = default;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Below all that was said, in the place of live lines.
  void Say(const std::vector<std::string>& lines);
  // Until the next lines of any kind. Does nothing where one cannot go back. A line must fit into
  // columns().
  void Show(const std::vector<std::string>& live);

  // What is usual if it is no terminal.
  size_t columns() const;
  // Nobody reads it any more, or it is full.
  bool is_broken() const { return is_broken_; }

 private:
  std::string OverLiveLines();
  void Write(const std::string& text);

  const int file_;
  const bool redraws_;
  size_t live_lines_ = 0;
  bool is_broken_ = false;
};

}  // namespace holdfast
