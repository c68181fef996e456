// A directory of one test alone, gone with it.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "gtest/gtest.h"

namespace holdfast {

class TempDirectory {
 public:
  TempDirectory() {
    path_ = testing::TempDir() + "/holdfast_source_XXXXXX";
    HOLDFAST_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

  // In place, as `echo > FILE` does.
  void Write(const std::string& name, absl::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  void Rename(const std::string& from, const std::string& to) const {
    EXPECT_EQ(std::rename(Path(from).c_str(), Path(to).c_str()), 0);
  }
  void Remove(const std::string& name) const { std::filesystem::remove_all(Path(name)); }
  void MakeDirectory(const std::string& name) const {
    std::filesystem::create_directory(Path(name));
  }
  // Over what is there, at once.
  void Link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, Path(".link"));
    Rename(".link", name);
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(Path(name)); }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

}  // namespace holdfast
