// The last good configuration on disk, in a directory of its own:
//
//   last_good        what DecodeState() reads
//   last_good.next   one that is being written, or that a crash left behind
//   lock             held (flock) by the one process that writes
//
// Never more than a help: whatever is wrong with it, serving goes on without it, and `problem()`
// says so. Not thread-safe; may block as files do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "control/catalog/content_hash.h"
#include "control/source/last_good.h"
#include "control/source/state_disk.h"

namespace holdfast {

class StateFile {
 public:
  using MakeDisk = std::function<std::unique_ptr<StateDisk>(std::string path)>;

  // Whether what is above the directory is made with it. Not inside of a configuration directory:
  // one that is away for a while would come back empty, and empty means that all is deleted.
  enum class Parents { kMade, kMustExist };

  // Touches nothing yet.
  explicit StateFile(std::string directory, MakeDisk make_disk = MakeStateDisk,
                     Parents parents = Parents::kMade);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // What was saved last; nothing if there is nothing, if it cannot be read, or if another process
  // has the lock.
  std::optional<LastGood> Load();

  // Writes nothing if that is what is there. After a failure the next call tries it all again:
  // directory, lock, file.
  void Save(const LastGood& good);

  // What is wrong, in one line, until a Save() succeeds; empty if nothing is.
  const std::string& problem() const { return problem_; }
  // What was loaded or saved last is on disk, as far as can be told without reading it.
  bool is_saved() const;

 private:
  // Makes the directory if there is none, and takes the lock.
  absl::Status Prepare();
  absl::Status Lock();
  void Unlock();
  absl::Status Replace(const LastGood& good);
  absl::Status TrySave(const LastGood& good);

  const std::string directory_;
  const std::string path_;
  const Parents parents_;
  const std::unique_ptr<StateDisk> disk_;
  int lock_ = -1;
  std::optional<ContentHash> saved_;  // of the bytes
  std::string problem_;
};

}  // namespace holdfast
