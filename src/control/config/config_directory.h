// Which files of a directory are configuration, and what is in them. One set of rules for whoever
// serves a directory and whoever checks it.
//
// Configuration is what is called *.yaml, *.yml or *.json at the top level. Hidden files are none,
// and so neither are the "..data" folders of a mounted Kubernetes ConfigMap, whose files are
// reached through symlinks; folders, sockets and the like are none whatever they are called.
//
// An error names the file and the reason of the system. Thread-safe; blocks as files do.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "control/config/config_file.h"

namespace holdfast {

// By the last part of its path alone.
bool IsConfigFileName(absl::string_view name);

// The paths of all of them, `directory` in front, sorted by name. A symlink that leads nowhere is
// among them: reading it says why it cannot be read.
absl::StatusOr<std::vector<std::string>> ListConfigFiles(const std::string& directory);

// All of one. RESOURCE_EXHAUSTED beyond kMostFileBytes.
absl::StatusOr<std::string> ReadConfigText(const std::string& path);

// What stands for a file whose text could not be had: nothing but that problem.
ConfigFile UnreadableConfigFile(std::string path, const absl::Status& reason);

}  // namespace holdfast
