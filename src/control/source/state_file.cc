#include "control/source/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "control/source/state_format.h"
#include "runtime/system_error.h"
#include "runtime/text_file.h"

namespace holdfast {
namespace {

constexpr absl::string_view kWithout =
    "; serving goes on, but the last good configuration would not survive a restart: name a state "
    "directory that can be written";

absl::Status MakeDirectory(const std::string& path, StateFile::Parents parents) {
  std::error_code error;
  const bool is_new = parents == StateFile::Parents::kMade
                          ? std::filesystem::create_directories(path, error)
                          : std::filesystem::create_directory(path, error);
  if (error) return SystemError(path, "cannot be made", error.value());
  if (is_new) std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  return absl::OkStatus();
}

}  // namespace

StateFile::StateFile(std::string directory, MakeDisk make_disk, Parents parents)
    : directory_(std::move(directory)),
      path_(directory_ + "/last_good"),
      parents_(parents),
      disk_(make_disk(path_)) {}

StateFile::~StateFile() { Unlock(); }

std::optional<LastGood> StateFile::Load() {
  if (const absl::Status status = Prepare(); !status.ok()) {
    problem_ = absl::StrCat("state directory ", status.message(), kWithout);
    return std::nullopt;
  }
  const absl::StatusOr<std::string> bytes = ReadTextFile(path_, kMostStateBytes);
  if (absl::IsNotFound(bytes.status())) return std::nullopt;
  absl::StatusOr<LastGood> good =
      bytes.ok() ? DecodeState(*bytes) : absl::StatusOr<LastGood>(bytes.status());
  if (good.ok()) {
    saved_ = HashOf(*bytes);
    return *std::move(good);
  }
  problem_ =
      absl::StrCat("state file ", bytes.ok() ? Quoted(path_) + ": " : "", good.status().message(),
                   "; it is ignored: what was good before this start is not known");
  return std::nullopt;
}

bool StateFile::is_saved() const { return saved_.has_value() && access(path_.c_str(), F_OK) == 0; }

void StateFile::Save(const LastGood& good) {
  absl::Status status = TrySave(good);
  if (absl::IsNotFound(status) && lock_ >= 0) {
    // Somebody took the directory away: the lock that went with it protects nothing.
    Unlock();
    status = TrySave(good);
  }
  if (status.ok()) {
    problem_.clear();
    return;
  }
  saved_.reset();
  problem_ = absl::StrCat("state directory ", status.message(), kWithout);
}

absl::Status StateFile::TrySave(const LastGood& good) {
  absl::Status status = Prepare();
  if (status.ok()) status = Replace(good);
  return status;
}

absl::Status StateFile::Replace(const LastGood& good) {
  const std::string bytes = EncodeState(good);
  const ContentHash hash = HashOf(bytes);
  if (saved_ == hash && is_saved()) return absl::OkStatus();
  if (bytes.size() > kMostStateBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(Quoted(path_), ": would have ", bytes.size(),
                                                     " bytes, more than ", kMostStateBytes));
  }
  const absl::Status status = ReplaceFile(*disk_, bytes);
  if (status.ok()) saved_ = hash;
  return status;
}

absl::Status StateFile::Prepare() {
  if (lock_ >= 0) return absl::OkStatus();
  if (absl::Status status = MakeDirectory(directory_, parents_); !status.ok()) return status;
  return Lock();
}

absl::Status StateFile::Lock() {
  const std::string path = directory_ + "/lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return SystemError(path, "cannot be opened", errno);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(file);
    if (error == EWOULDBLOCK) {
      return absl::UnavailableError(
          absl::StrCat(Quoted(directory_), ": in use by another process"));
    }
    return SystemError(path, "cannot be locked", error);
  }
  lock_ = file;
  return absl::OkStatus();
}

void StateFile::Unlock() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

}  // namespace holdfast
