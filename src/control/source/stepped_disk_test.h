// The disk of a state file, for tests that want to be there at each step of a save.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "control/source/state_disk.h"
#include "control/source/state_file.h"

namespace holdfast {

// In their order; a write has two halves.
inline constexpr const char* kSteps[] = {"create", "write",  "write the rest",
                                         "sync",   "rename", "sync directory"};

// The real disk, with something before each step.
class SteppedDisk final : public StateDisk {
 public:
  // Told the name of the step that comes; an error is what the step returns instead.
  using BeforeStep = std::function<absl::Status(absl::string_view step)>;

  SteppedDisk(std::string path, BeforeStep before)
      : disk_(MakeStateDisk(std::move(path))), before_(std::move(before)) {}

  absl::Status Create() override {
    return Step("create", [&] { return disk_->Create(); });
  }
  absl::Status Write(absl::string_view bytes) override {
    const size_t half = bytes.size() / 2;
    absl::Status status = Step("write", [&] { return disk_->Write(bytes.substr(0, half)); });
    if (!status.ok()) return status;
    return Step("write the rest", [&] { return disk_->Write(bytes.substr(half)); });
  }
  absl::Status Sync() override {
    return Step("sync", [&] { return disk_->Sync(); });
  }
  absl::Status Rename() override {
    return Step("rename", [&] { return disk_->Rename(); });
  }
  absl::Status SyncDirectory() override {
    return Step("sync directory", [&] { return disk_->SyncDirectory(); });
  }

 private:
  absl::Status Step(absl::string_view name, const std::function<absl::Status()>& act) {
    absl::Status status = before_(name);
    return status.ok() ? act() : status;
  }

  const std::unique_ptr<StateDisk> disk_;
  const BeforeStep before_;
};

inline StateFile::MakeDisk Stepped(SteppedDisk::BeforeStep before) {
  return [before](std::string path) { return std::make_unique<SteppedDisk>(path, before); };
}

}  // namespace holdfast
