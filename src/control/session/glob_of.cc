#include "control/session/glob_of.h"

#include "absl/strings/str_cat.h"

namespace holdfast {

std::string GlobOf(absl::string_view name) {
  if (!absl::StartsWith(name, "xdstp:")) return "";
  const absl::string_view directory = DirectoryOf(name);
  const size_t query = name.find('?');
  const absl::string_view path = name.substr(0, query);
  const absl::string_view last = path.substr(directory.size());
  if (last.empty() || last == "*") return "";
  return absl::StrCat(directory, "*", name.substr(path.size()));
}

absl::string_view DirectoryOf(absl::string_view glob) {
  const absl::string_view path = glob.substr(0, glob.find('?'));
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace holdfast
