#include "app/xds_server_address.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "app/listen_address.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

// What gRPC takes where a name comes without a port.
constexpr char kDefaultPort[] = "443";

// "a" of "xds://a/web" and of "cds/xdstp://a/envoy.config.cluster.v3.Cluster/pay"; "" if none.
absl::string_view AuthorityIn(absl::string_view text) {
  const size_t slashes = text.find("://");
  if (slashes == absl::string_view::npos) return "";
  text.remove_prefix(slashes + 3);
  return text.substr(0, text.find('/'));
}

}  // namespace

std::optional<std::string> AddressOfServer(absl::string_view server_uri) {
  for (const absl::string_view other : {"unix:", "unix-abstract:", "vsock:", "xds:"}) {
    if (absl::StartsWith(server_uri, other)) return std::nullopt;
  }
  absl::string_view address = server_uri;
  const bool is_name = absl::ConsumePrefix(&address, "dns:");
  if (!is_name && !absl::ConsumePrefix(&address, "ipv4:")) absl::ConsumePrefix(&address, "ipv6:");
  // The resolver to ask stands before the name.
  if (is_name && absl::ConsumePrefix(&address, "//")) {
    const size_t slash = address.find('/');
    if (slash == absl::string_view::npos) return std::nullopt;
    address.remove_prefix(slash + 1);
  }
  if (address.empty() || address.find_first_of("/,") != absl::string_view::npos) {
    return std::nullopt;
  }
  if (!absl::StrContains(address, ":")) return absl::StrCat(address, ":", kDefaultPort);
  const absl::StatusOr<ListenAddress> parsed = ParseListenAddress(address);
  if (!parsed.ok() || parsed->port == 0) return std::nullopt;
  return parsed->Text();
}

const std::vector<XdsServerConfig>& ServersFor(const Question& question,
                                               const BootstrapConfig& bootstrap) {
  if (question.kind == Question::Kind::kClient) return bootstrap.servers;
  const std::optional<std::string> authority = PercentDecode(AuthorityIn(question.text));
  const auto found = bootstrap.authorities.find(authority.value_or(""));
  const bool has_own = found != bootstrap.authorities.end() && !found->second.servers.empty();
  return has_own ? found->second.servers : bootstrap.servers;
}

}  // namespace holdfast
