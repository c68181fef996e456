#include "runtime/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "runtime/system_error.h"

namespace holdfast {
namespace {

constexpr size_t kChunkBytes = 64 * 1024;

// At most `most_bytes` from the start; fewer only if there are no more.
absl::StatusOr<std::string> ReadStart(const std::string& path, size_t most_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError(path, "cannot be opened", errno);
  const absl::Cleanup close_file = [file] { close(file); };
  std::string text;
  while (text.size() < most_bytes) {
    const size_t before = text.size();
    text.resize(std::min(before + kChunkBytes, most_bytes));
    const ssize_t got = read(file, text.data() + before, text.size() - before);
    const int error = errno;
    text.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
    if (got < 0 && error != EINTR) return SystemError(path, "cannot be read", error);
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t most_bytes) {
  absl::StatusOr<std::string> text = ReadStart(path, most_bytes + 1);
  if (text.ok() && text->size() > most_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(Quoted(path), ": longer than the most we read, ", most_bytes, " bytes"));
  }
  return text;
}

absl::Status CheckTextFile(const std::string& path) {
  const absl::StatusOr<std::string> start = ReadStart(path, 1);
  if (!start.ok()) return start.status();
  if (start->empty()) return absl::InvalidArgumentError(absl::StrCat(Quoted(path), ": empty"));
  return absl::OkStatus();
}

}  // namespace holdfast
