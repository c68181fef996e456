#include "control/source/state_disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "runtime/system_error.h"

namespace holdfast {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

class RealDisk final : public StateDisk {
 public:
  explicit RealDisk(std::string path) : path_(std::move(path)), next_path_(path_ + ".next") {}
  ~RealDisk() override { Close(); }

  absl::Status Create() override {
    Close();
    file_ = open(next_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file_ < 0) return SystemError(next_path_, "cannot be created", errno);
    return absl::OkStatus();
  }

  absl::Status Write(absl::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemError(next_path_, "cannot be written", errno);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    if (fsync(file_) != 0) return SystemError(next_path_, "cannot be synced", errno);
    Close();
    return absl::OkStatus();
  }

  absl::Status Rename() override {
    if (std::rename(next_path_.c_str(), path_.c_str()) == 0) return absl::OkStatus();
    return SystemError(path_, "cannot be replaced", errno);
  }

  absl::Status SyncDirectory() override {
    const std::string directory = std::filesystem::path(path_).parent_path().string();
    const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return SystemError(directory, "cannot be opened", errno);
    const absl::Cleanup close_file = [file] { close(file); };
    if (fsync(file) != 0) return SystemError(directory, "cannot be synced", errno);
    return absl::OkStatus();
  }

 private:
  void Close() {
    if (file_ >= 0) close(std::exchange(file_, -1));
  }

  const std::string path_;
  const std::string next_path_;
  int file_ = -1;
};

}  // namespace

std::unique_ptr<StateDisk> MakeStateDisk(std::string path) {
  return std::make_unique<RealDisk>(std::move(path));
}

absl::Status ReplaceFile(StateDisk& disk, absl::string_view bytes) {
  absl::Status status = disk.Create();
  while (status.ok() && !bytes.empty()) {
    const absl::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    status = disk.Write(piece);
  }
  if (status.ok()) status = disk.Sync();
  if (status.ok()) status = disk.Rename();
  if (status.ok()) status = disk.SyncDirectory();
  return status;
}

}  // namespace holdfast
