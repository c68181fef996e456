// A certificate that is its own authority, made by the openssl command, in files of a scratch
// directory.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace holdfast {

class Certificate {
 public:
  // `names` is its subjectAltName: "DNS:pay.example" or "IP:127.0.0.1".
  Certificate(absl::string_view common_name, absl::string_view names)
      : folder_(std::filesystem::path(testing::TempDir()) /
                absl::StrCat("holdfast-certificate-", ::getpid(), "-", common_name)) {
    std::filesystem::create_directories(folder_);
    const std::string command = absl::StrCat(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=",
        common_name, " -addext subjectAltName=", names, " -keyout ", Path("key.pem"), " -out ",
        path(), " >", Path("openssl.log"), " 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << Text("openssl.log");
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  std::string path() const { return Path("cert.pem"); }
  std::string certificate() const { return Text("cert.pem"); }
  std::string key() const { return Text("key.pem"); }

 private:
  std::string Path(absl::string_view file) const { return (folder_ / std::string(file)).string(); }
  std::string Text(absl::string_view file) const {
    std::ifstream in(Path(file));
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  const std::filesystem::path folder_;
};

}  // namespace holdfast
