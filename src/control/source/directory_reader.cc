#include "control/source/directory_reader.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/types/span.h"
#include "control/config/config_directory.h"
#include "control/config/config_set.h"

namespace holdfast {
namespace {

// Somebody who never stops writing must not keep us from serving.
constexpr int kMostReadings = 3;

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
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
  if (!text.ok()) return UnreadableConfigFile(path, text.status());
  const ContentHash hash = HashOf(*text);
  const auto parsed = parsed_files_.find(path);
  if (parsed != parsed_files_.end() && parsed->second.text == hash) return parsed->second.file;
  ++parsed_;
  ConfigFile file = ReadConfigFile(path, *text, *schema_);
  parsed_files_.insert_or_assign(path, Parsed{hash, file});
  return file;
}

}  // namespace holdfast
