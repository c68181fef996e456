#include "control/config/config_directory.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "runtime/system_error.h"
#include "runtime/text_file.h"

namespace holdfast {
namespace {

// Whether an entry could be read as a file. What cannot even be looked at is for the reader to
// complain about; a pipe would keep the reader waiting for ever.
bool MayBeRead(DIR* directory, const char* name) {
  struct stat facts = {};
  if (fstatat(dirfd(directory), name, &facts, 0) != 0) return true;
  return S_ISREG(facts.st_mode);
}

}  // namespace

bool IsConfigFileName(absl::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash != absl::string_view::npos) name.remove_prefix(slash + 1);
  if (absl::StartsWith(name, ".")) return false;
  return absl::EndsWith(name, ".yaml") || absl::EndsWith(name, ".yml") ||
         absl::EndsWith(name, ".json");
}

absl::StatusOr<std::vector<std::string>> ListConfigFiles(const std::string& directory) {
  DIR* const opened = opendir(directory.c_str());
  if (opened == nullptr) return SystemError(directory, "cannot be opened as a directory", errno);
  const absl::Cleanup close_directory = [opened] { closedir(opened); };
  const std::string prefix = absl::EndsWith(directory, "/") ? directory : directory + "/";
  std::vector<std::string> paths;
  while (true) {
    // readdir says only through errno whether it is at the end.
    errno = 0;
    const dirent* const entry = readdir(opened);
    if (entry == nullptr && errno != 0) return SystemError(directory, "cannot be read", errno);
    if (entry == nullptr) break;
    if (!IsConfigFileName(entry->d_name) || !MayBeRead(opened, entry->d_name)) continue;
    paths.push_back(absl::StrCat(prefix, entry->d_name));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<std::string> ReadConfigText(const std::string& path) {
  return ReadTextFile(path, kMostFileBytes);
}

ConfigFile UnreadableConfigFile(std::string path, const absl::Status& reason) {
  const std::string prefix = absl::StrCat(Quoted(path), ": ");
  ConfigFile file;
  file.problems.push_back({.kind = Problem::Kind::kError,
                           .file = path,
                           .text = std::string(absl::StripPrefix(reason.message(), prefix))});
  file.path = std::move(path);
  return file;
}

}  // namespace holdfast
