// rewrite_foreign IN_DIR OUT_DIR: what somebody else's code wrote into IN_DIR, written again by us.
//
//   OUT_DIR/<type>.<case>.bin          the same message, rebuilt with our schema
//   OUT_DIR/encoded/<type>.<case>.bin  requests and responses, read into our structs and encoded
//                                      from them by wire/
//
// foreign_bytes_test.py asks the foreign code whether they are the same messages. Those in encoded/
// cannot be, because our structs leave out on purpose what a client or control plane of gRPC has no
// use for. The list of it is in that test, field by field, so that nothing else gets lost:
// resource_locators and dynamic_parameter_constraints (dynamic parameters), details of a Status,
// canary, and a delta resource's resource_name, cache_control and metadata.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/interop/case_files.h"
#include "tests/interop/rebuild_message.h"
#include "wire/ads.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

const std::map<std::string, std::string>& MessageTypes() {
  static const auto& types = *new std::map<std::string, std::string>{
      {"listener", "envoy.config.listener.v3.Listener"},
      {"route", "envoy.config.route.v3.RouteConfiguration"},
      {"cluster", "envoy.config.cluster.v3.Cluster"},
      {"endpoints", "envoy.config.endpoint.v3.ClusterLoadAssignment"},
      {"sotw_request", "envoy.service.discovery.v3.DiscoveryRequest"},
      {"sotw_response", "envoy.service.discovery.v3.DiscoveryResponse"},
      {"delta_request", "envoy.service.discovery.v3.DeltaDiscoveryRequest"},
      {"delta_response", "envoy.service.discovery.v3.DeltaDiscoveryResponse"},
  };
  return types;
}

absl::StatusOr<std::string> EncodeAgain(const CaseFile& file) {
  if (file.type == "sotw_request") {
    absl::StatusOr<DiscoveryRequest> request = ParseRequest(file.bytes);
    if (!request.ok()) return request.status();
    return Encode(*request);
  }
  if (file.type == "delta_request") {
    absl::StatusOr<DeltaDiscoveryRequest> request = ParseDeltaRequest(file.bytes);
    if (!request.ok()) return request.status();
    return Encode(*request);
  }
  // The name is field 1 of all four types of resources.
  const auto name_field_of = [](absl::string_view) { return uint32_t{1}; };
  absl::StatusOr<DiscoveryResponse> response = file.type == "sotw_response"
                                                   ? ScanResponse(file.bytes, name_field_of)
                                                   : ScanDeltaResponse(file.bytes);
  if (!response.ok()) return response.status();
  // The foreign entry has two names, where one is allowed. We write one.
  for (ResourceEntry& entry : response->resources) entry.problem.clear();
  return file.type == "sotw_response" ? EncodeResponse(*response) : EncodeDeltaResponse(*response);
}

// Writes files and remembers what went wrong.
class Rewriter {
 public:
  explicit Rewriter(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::error_code error;
    std::filesystem::create_directories(directory_ / "encoded", error);
    if (error) problems_.push_back(directory_.string() + ": " + error.message());
  }

  void Rewrite(const CaseFile& file) {
    const auto type = MessageTypes().find(file.type);
    if (type == MessageTypes().end()) {
      problems_.push_back(file.file_name + ": what is a " + file.type + "?");
      return;
    }
    MessageRebuilder rebuilder;
    Write(file.file_name, rebuilder.Rebuild(type->second, file.bytes, file.type + "." + file.name));
    problems_.insert(problems_.end(), rebuilder.problems().begin(), rebuilder.problems().end());
    if (!file.type.ends_with("_request") && !file.type.ends_with("_response")) return;
    const absl::StatusOr<std::string> encoded = EncodeAgain(file);
    if (encoded.ok()) {
      Write("encoded/" + file.file_name, *encoded);
    } else {
      problems_.push_back(file.file_name + ": " + encoded.status().ToString());
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void Write(const std::string& file_name, const std::string& bytes) {
    std::ofstream out(directory_ / file_name, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) problems_.push_back(file_name + ": cannot be written");
  }

  std::filesystem::path directory_;
  std::vector<std::string> problems_;
};

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2) {
    std::fprintf(stderr, "usage: rewrite_foreign IN_DIR OUT_DIR\n");
    return 64;
  }
  const std::vector<CaseFile> files = ReadCaseFiles(arguments[0]);
  if (files.empty()) {
    std::fprintf(stderr, "%s: no cases; fill it with full_resources.py write\n",
                 arguments[0].c_str());
    return 1;
  }
  Rewriter rewriter(arguments[1]);
  for (const CaseFile& file : files) rewriter.Rewrite(file);
  for (const std::string& problem : rewriter.problems()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
  }
  std::printf("rewrote %zu cases, %zu problems\n", files.size(), rewriter.problems().size());
  return rewriter.problems().empty() ? 0 : 1;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  return holdfast::Main(std::vector<std::string>(argv + 1, argv + argc));
}
