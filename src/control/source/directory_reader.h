// A configuration directory, read as a whole: every file, and what they say together.
//
// A text that did not change is not parsed again. If something changes while the directory is being
// read it is read once more, so that an exchange of all files is seen as one. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "control/catalog/content_hash.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"
#include "control/config/schema.h"

namespace holdfast {

class DirectoryReader {
 public:
  struct Reading {
    std::vector<ConfigFile> files;  // by name; one that cannot be opened is not readable
    std::vector<Problem> problems;  // as LintTogether has them
  };

  DirectoryReader(std::string directory, std::shared_ptr<const Schema> schema);

  // An error only if the directory cannot be listed.
  absl::StatusOr<Reading> Read();

  // Whether it looks as if Read() would find something else than last time. Opens no file.
  bool LooksChanged() const;

  // Texts that were parsed, ever.
  size_t parsed() const { return parsed_; }

 private:
  // What the system says of a path without opening it: different if its content is, except for
  // writes within one tick of the clock.
  struct Look {
    std::string path;
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t size = 0;
    int64_t modified = 0;  // nanoseconds
    int64_t changed = 0;
    int error = 0;

    friend bool operator==(const Look&, const Look&) = default;
  };
  struct Parsed {
    ContentHash text;
    ConfigFile file;
  };

  static Look LookAt(std::string path);
  // At all files; at the directory alone if it cannot be listed.
  std::vector<Look> LookAround() const;
  ConfigFile ReadFile(const std::string& path);
  absl::StatusOr<std::vector<ConfigFile>> ReadOnce();

  const std::string directory_;
  const std::shared_ptr<const Schema> schema_;
  std::map<std::string, Parsed> parsed_files_;  // by path
  std::vector<Look> seen_;                      // by Read()
  size_t parsed_ = 0;
};

}  // namespace holdfast
