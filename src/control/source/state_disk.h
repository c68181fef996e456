// The few things that are done to a disk to replace a file so that a crash at any point leaves the
// old one or the new one, whole. A port: tests stop between any two of them.
//
// Steps come in the order of the methods. An error names the path and the reason of the system.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace holdfast {

class StateDisk {
 public:
  virtual ~StateDisk() = default;

  // An empty file beside the one to be replaced; what a crash left there is gone.
  virtual absl::Status Create() = 0;
  // Appends to it.
  virtual absl::Status Write(absl::string_view bytes) = 0;
  // What was written will outlast the power.
  virtual absl::Status Sync() = 0;
  // It takes the place of the old one.
  virtual absl::Status Rename() = 0;
  // And keeps it.
  virtual absl::Status SyncDirectory() = 0;
};

// `path` is the file to be replaced. Nobody but the owner of the process may read it: it holds what
// only clients with the right to it may be sent.
std::unique_ptr<StateDisk> MakeStateDisk(std::string path);

// All the steps, `bytes` in pieces.
absl::Status ReplaceFile(StateDisk& disk, absl::string_view bytes);

}  // namespace holdfast
