// Asks the admin port of a control plane, over HTTP.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace httplib {
class Client;
}

namespace holdfast {

class ApiReader {
 public:
  // INVALID_ARGUMENT, with how it is written, if that is no HOST:PORT. While `stop` is readable
  // (-1: never), nothing is waited for.
  static absl::StatusOr<std::unique_ptr<ApiReader>> To(absl::string_view address, int stop = -1);
  ~ApiReader();
  ApiReader(const ApiReader&) = delete;
  ApiReader& operator=(const ApiReader&) = delete;

  using Query = std::vector<std::pair<absl::string_view, absl::string_view>>;

  // The body of the answer. UNAVAILABLE if nobody answers there, or not all of it comes within 10
  // s, FAILED_PRECONDITION if somebody else does, RESOURCE_EXHAUSTED if it is too large.
  absl::StatusOr<std::string> Get(absl::string_view path, const Query& query = {});

  const std::string& address() const { return address_; }

 private:
  ApiReader(std::string address, const std::string& host, int port, int stop);

  const std::string address_;
  const int stop_;
  const std::unique_ptr<httplib::Client> client_;
};

}  // namespace holdfast
