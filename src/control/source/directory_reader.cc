#include "control/source/directory_reader.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/outside_text.h"
#include "control/config/config_directory.h"
#include "control/config/config_set.h"

namespace holdfast {
namespace {

// Somebody who never stops writing must not keep us from serving.
constexpr int kMostReadings = 3;

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

ConfigFile Unreadable(const std::string& path, const absl::Status& status) {
  absl::string_view why = status.message();
  absl::ConsumePrefix(&why, absl::StrCat(Quoted(path), ": "));  // A problem has its file in front.
  ConfigFile file;
  file.path = path;
  file.problems.push_back({.kind = Problem::Kind::kError, .file = path, .text = std::string(why)});
  return file;
}

}  // namespace

DirectoryReader::DirectoryReader(std::string directory, std::shared_ptr<const Schema> schema)
    : directory_(std::move(directory)), schema_(std::move(schema)) {}

absl::StatusOr<DirectoryReader::Reading> DirectoryReader::Read() {
  absl::StatusOr<std::vector<ConfigFile>> files;
  for (int i = 0; i < kMostReadings; ++i) {
    seen_ = LookAround();
    files = ReadOnce();
    if (!LooksChanged()) break;
  }
  if (!files.ok()) return files.status();
  Reading reading;
  reading.files = *std::move(files);
  reading.problems = LintTogether(absl::MakeSpan(reading.files));
  return reading;
}

bool DirectoryReader::LooksChanged() const { return LookAround() != seen_; }

DirectoryReader::Look DirectoryReader::LookAt(std::string path) {
  Look look{.path = std::move(path)};
  struct stat found;
  if (stat(look.path.c_str(), &found) != 0) {
    look.error = errno;
    return look;
  }
  look.device = found.st_dev;
  look.inode = found.st_ino;
  look.size = found.st_size;
  look.modified = Nanoseconds(found.st_mtim);
  look.changed = Nanoseconds(found.st_ctim);
  return look;
}

std::vector<DirectoryReader::Look> DirectoryReader::LookAround() const {
  std::vector<Look> looks;
  // Only which directory it is: its times change with every hidden file.
  Look directory = LookAt(directory_);
  directory.size = directory.modified = directory.changed = 0;
  looks.push_back(std::move(directory));
  absl::StatusOr<std::vector<std::string>> paths = ListConfigFiles(directory_);
  if (!paths.ok()) {
    looks.front().error = static_cast<int>(paths.status().code());
    return looks;
  }
  for (std::string& path : *paths) looks.push_back(LookAt(std::move(path)));
  return looks;
}

absl::StatusOr<std::vector<ConfigFile>> DirectoryReader::ReadOnce() {
  const absl::StatusOr<std::vector<std::string>> paths = ListConfigFiles(directory_);
  if (!paths.ok()) return paths.status();
  std::vector<ConfigFile> files;
  std::map<std::string, Parsed> still_there;
  for (const std::string& path : *paths) {
    files.push_back(ReadFile(path));
    if (auto node = parsed_files_.extract(path)) still_there.insert(std::move(node));
  }
  parsed_files_ = std::move(still_there);
  return files;
}

ConfigFile DirectoryReader::ReadFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadConfigText(path);
  if (!text.ok()) return Unreadable(path, text.status());
  // Whoever writes a file in place empties it first: that is no wish to delete everything.
  if (text->empty()) {
    return Unreadable(path, absl::DataLossError("is empty, as if half written; to delete what it "
                                                "defines, delete the file or write resources: []"));
  }
  const ContentHash hash = HashOf(*text);
  const auto parsed = parsed_files_.find(path);
  if (parsed != parsed_files_.end() && parsed->second.text == hash) return parsed->second.file;
  ++parsed_;
  ConfigFile file = ReadConfigFile(path, *text, *schema_);
  parsed_files_.insert_or_assign(path, Parsed{hash, file});
  return file;
}

}  // namespace holdfast
