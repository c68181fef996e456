// What ParseBootstrap says about documents that are no bootstrap: every kind of mistake, its exact
// text, and all of them at once.
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bootstrap/bootstrap.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ErrorOf(absl::string_view json) {
  const absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(json);
  if (parsed.ok()) return "no error";
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

struct BadBootstrap {
  absl::string_view json;
  absl::string_view error;
};

// Rows about "xds_servers" write the whole document.
const BadBootstrap kBadServers[] = {
    {"[]", "must be an object (got an array) at line 1, column 1"},    // R7.03
    {"null", "must be an object (got null) at line 1, column 1"},      // R7.03
    {"{}", "xds_servers: missing in the object at line 1, column 1"},  // R7.03
    {R"({"xds_server": []})",                                          // R7.03
     "xds_servers: missing in the object at line 1, column 1 (is \"xds_server\" a slip?)"},
    {R"({"xds_servers": {}})",  // R7.03
     "xds_servers: must be an array (got an object) at line 1, column 17"},
    {R"({"xds_servers": null})",  // R7.03
     "xds_servers: must be an array (got null) at line 1, column 17"},
    {R"({"xds_servers": []})", "xds_servers: must have at least one server at line 1, column 17"},
    {R"({"xds_servers": ["cp"]})",
     "xds_servers[0]: must be an object (got a string) at line 1, column 18"},
    {R"({"xds_servers": [{"channel_creds": [{"type": "insecure"}]}]})",
     "xds_servers[0].server_uri: missing in the object at line 1, column 18"},
    {R"({"xds_servers": [{"server_uri": 7, "channel_creds": [{"type": "insecure"}]}]})",
     "xds_servers[0].server_uri: must be a string (got a number) at line 1, column 33"},
    {R"({"xds_servers": [{"server_uri": "", "channel_creds": [{"type": "insecure"}]}]})",
     "xds_servers[0].server_uri: must not be empty at line 1, column 33"},
    {R"({"xds_servers": [{"server_uri": "a\u0000b", "channel_creds": [{"type": "insecure"}]}]})",
     "xds_servers[0].server_uri: must not contain a NUL character at line 1, column 33"},
};

// Rows about one server: what follows its "server_uri", on the second line.
const BadBootstrap kBadServerMembers[] = {
    {R"("x": 1)",  // DEC-15
     "channel_creds: missing in the object at line 1, column 18"},
    {R"("channel_creds": {})",
     "channel_creds: must be an array (got an object) at line 2, column 18"},
    {R"("channel_creds": [])",
     "channel_creds: must have a supported type, \"insecure\" or \"tls\" (got none) at line 2, "
     "column 18"},
    {R"("channel_creds": [{"type": "google_default"}, {"type": "alts"}])",  // R7.20
     "channel_creds: must have a supported type, \"insecure\" or \"tls\" (got \"google_default\", "
     "\"alts\") at line 2, column 18"},
    {R"("channel_creds": ["insecure"])",
     "channel_creds[0]: must be an object (got a string) at line 2, column 19"},
    {R"("channel_creds": [{}])",
     "channel_creds[0].type: missing in the object at line 2, column 19"},
    {R"("channel_creds": [{"type": "insecure"}, {"type": 3}])",
     "channel_creds[1].type: must be a string (got a number) at line 2, column 50"},
    {R"("channel_creds": [{"type": "insecure"}, {"type": "xyz", "config": []}])",
     "channel_creds[1].config: must be an object (got an array) at line 2, column 67"},
    {R"("channel_creds": [{"type": "insecure"}, )"
     R"({"type": "tls", "config": {"refresh_interval": 5}}])",
     "channel_creds[1].config.refresh_interval: must be a string (got a number) at line 2, column "
     "88"},                                                                           // R7.21
    {R"("channel_creds": [{"type": "tls", "config": {"ca_certificate_file": ""}}])",  // R7.21
     "channel_creds[0].config.ca_certificate_file: must not be empty at line 2, column 69"},
    {R"("channel_creds": [{"type": "tls", "config": {"ca_certificate_file": "/ca\u0000"}}])",
     "channel_creds[0].config.ca_certificate_file: must not contain a NUL character at line 2, "
     "column 69"},
    {R"("channel_creds": [{"type": "tls", "config": {"certificate_file": "/c"}}])",  // R7.21
     "channel_creds[0].config: must give certificate_file and private_key_file both or neither at "
     "line 2, column 45"},
    {R"("channel_creds": [{"type": "tls", "config": {"private_key_file": "/k"}}])",  // R7.21
     "channel_creds[0].config: must give certificate_file and private_key_file both or neither at "
     "line 2, column 45"},
    {R"("channel_creds": [{"type": "insecure"}], "server_features": "fail_on_data_errors")",
     "server_features: must be an array (got a string) at line 2, column 61"},
    {R"("channel_creds": [{"type": "insecure"}], "call_creds": {})",
     "call_creds: must be an array (got an object) at line 2, column 56"},
    {R"("channel_creds": [{"type": "insecure"}], "call_creds": [{"config": {}}])",
     "call_creds[0].type: missing in the object at line 2, column 57"},
    {R"("channel_creds": [{"type": "insecure"}], "call_creds": [{"type": "jwt_token_file"}])",
     "call_creds[0].config: missing in the object at line 2, column 57"},  // R7.22
    {R"("channel_creds": [{"type": "insecure"}], )"
     R"("call_creds": [{"type": "jwt_token_file", "config": {}}])",
     "call_creds[0].config.jwt_token_file: missing in the object at line 2, column 94"},  // R7.22
    {R"("channel_creds": [{"type": "insecure"}], )"
     R"("call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": ["x"]}}])",
     "call_creds[0].config.jwt_token_file: must be a string (got an array) at line 2, column "
     "113"},  // R7.22
    {R"("channel_creds": [{"type": "insecure"}], "call_creds": [{"type": "mystery", "config": 1}])",
     "call_creds[0].config: must be an object (got a number) at line 2, column 87"},
};

// Rows about the rest: members of the bootstrap, on its second line.
const BadBootstrap kBadMembers[] = {
    {R"("node": [])", "node: must be an object (got an array) at line 2, column 9"},
    {R"("node": {"id": 1})", "node.id: must be a string (got a number) at line 2, column 16"},
    {R"("node": {"cluster": null})",
     "node.cluster: must be a string (got null) at line 2, column 21"},
    {R"("node": {"locality": "eu"})",
     "node.locality: must be an object (got a string) at line 2, column 22"},
    {R"("node": {"locality": {"region": 1}})",
     "node.locality.region: must be a string (got a number) at line 2, column 33"},
    {R"("node": {"locality": {"zone": true}})",
     "node.locality.zone: must be a string (got a boolean) at line 2, column 31"},
    {R"("node": {"locality": {"sub_zone": {}}})",
     "node.locality.sub_zone: must be a string (got an object) at line 2, column 35"},
    {R"("node": {"metadata": []})",
     "node.metadata: must be an object (got an array) at line 2, column 22"},
    {R"("certificate_providers": [])",
     "certificate_providers: must be an object (got an array) at line 2, column 26"},
    {R"("certificate_providers": {"c": 1})",
     "certificate_providers[\"c\"]: must be an object (got a number) at line 2, column 32"},
    {R"("certificate_providers": {"c": {}})",
     "certificate_providers[\"c\"].plugin_name: missing in the object at line 2, column 32"},
    {R"("certificate_providers": {"c": {"plugin_name": 1}})",
     "certificate_providers[\"c\"].plugin_name: must be a string (got a number) at line 2, column "
     "48"},
    {R"("certificate_providers": {"c": {"plugin_name": "vault", "config": {"a": 1}}})",
     "certificate_providers[\"c\"].plugin_name: must be \"file_watcher\", the only known plugin "
     "(got \"vault\") at line 2, column 48"},
    {R"("certificate_providers": {"c": {"plugin_name": "file_watcher", "config": 1}})",
     "certificate_providers[\"c\"].config: must be an object (got a number) at line 2, column 74"},
    {R"("certificate_providers": {"c": {"plugin_name": "file_watcher"}})",
     "certificate_providers[\"c\"].config: must give certificate_file, ca_certificate_file or "
     "spiffe_trust_bundle_map_file at line 2, column 32"},
    {R"("certificate_providers": {"c": {"plugin_name": "file_watcher", "config": {}}})",
     "certificate_providers[\"c\"].config: must give certificate_file, ca_certificate_file or "
     "spiffe_trust_bundle_map_file at line 2, column 74"},
    {R"("certificate_providers": {"c": {"plugin_name": "file_watcher", )"
     R"("config": {"ca_certificate_file": "/r", "private_key_file": "/k"}}})",
     "certificate_providers[\"c\"].config: must give certificate_file and private_key_file both or "
     "neither at line 2, column 74"},
    {R"("certificate_providers": {"c": {"plugin_name": "file_watcher", )"
     R"("config": {"spiffe_trust_bundle_map_file": 1}}})",
     "certificate_providers[\"c\"].config.spiffe_trust_bundle_map_file: must be a string (got a "
     "number) at line 2, column 107"},
    {R"("server_listener_resource_name_template": 1)",
     "server_listener_resource_name_template: must be a string (got a number) at line 2, column "
     "43"},
    {R"("server_listener_resource_name_template": "")",
     "server_listener_resource_name_template: must not be empty at line 2, column 43"},
    {R"("server_listener_resource_name_template": "\u0000%s")",
     "server_listener_resource_name_template: must not contain a NUL character at line 2, column "
     "43"},
    {R"("client_default_listener_resource_name_template": [])",
     "client_default_listener_resource_name_template: must be a string (got an array) at line 2, "
     "column 51"},
    {R"("client_default_listener_resource_name_template": "")",
     "client_default_listener_resource_name_template: must not be empty at line 2, column 51"},
    {R"("authorities": [])", "authorities: must be an object (got an array) at line 2, column 16"},
    {R"("authorities": {"": null})",
     "authorities[\"\"]: must be an object (got null) at line 2, column 21"},
    {R"("authorities": {"a": {"client_listener_resource_name_template": 1}})",
     "authorities[\"a\"].client_listener_resource_name_template: must be a string (got a number) "
     "at "
     "line 2, column 65"},
    {R"("authorities": {"a": {"client_listener_resource_name_template": "xdstp://b/T/%s"}})",
     "authorities[\"a\"].client_listener_resource_name_template: must begin with \"xdstp://a/\" "
     "(got \"xdstp://b/T/%s\") at line 2, column 65"},
    {R"("authorities": {"a": {"client_listener_resource_name_template": "xdstp://a"}})",
     "authorities[\"a\"].client_listener_resource_name_template: must begin with \"xdstp://a/\" "
     "(got \"xdstp://a\") at line 2, column 65"},
    {R"("authorities": {"": {"client_listener_resource_name_template": ""}})",
     "authorities[\"\"].client_listener_resource_name_template: must begin with \"xdstp:///\" (got "
     "\"\") at line 2, column 64"},
    {R"("authorities": {"a": {"xds_servers": "cp"}})",
     "authorities[\"a\"].xds_servers: must be an array (got a string) at line 2, column 38"},
    {R"("authorities": {"a": {"xds_servers": [{"server_uri": "u"}]}})",
     "authorities[\"a\"].xds_servers[0].channel_creds: missing in the object at line 2, column 39"},
    {R"("authorities": {"a": {"fallback_on_reachability_only": "yes"}})",
     "authorities[\"a\"].fallback_on_reachability_only: must be a boolean (got a string) at line "
     "2, "
     "column 56"},
};

TEST(BootstrapErrors, NamePathAndPlace) {  // R7.03, every row of R7.B
  for (const BadBootstrap& row : kBadServers) {
    EXPECT_EQ(ErrorOf(row.json), absl::StrCat("bootstrap: ", row.error)) << row.json;
  }
  for (const BadBootstrap& row : kBadServerMembers) {
    EXPECT_EQ(
        ErrorOf(absl::StrCat("{\"xds_servers\": [{\"server_uri\": \"cp\",\n", row.json, "}]}")),
        absl::StrCat("bootstrap: xds_servers[0].", row.error))
        << row.json;
  }
  for (const BadBootstrap& row : kBadMembers) {
    EXPECT_EQ(
        ErrorOf(absl::StrCat(
            R"({"xds_servers": [{"server_uri": "u", "channel_creds": [{"type": "insecure"}]}],)",
            "\n", row.json, "}")),
        absl::StrCat("bootstrap: ", row.error))
        << row.json;
  }
}

TEST(BootstrapErrors, AreAllReportedTogether) {  // R7.03
  EXPECT_EQ(
      ErrorOf(R"({
  "xds_servers": [
    {"server_uri": 1, "channel_creds": [{"type": "tls", "config": {"private_key_file": ""}}]},
    {"server_url": "cp"},
    7
  ],
  "node": {"id": 5, "metadata": "x"},
  "authorities": {"a": {"xds_servers": {}, "fallback_on_reachability_only": 0}},
  "server_listener_resource_name_template": false
})"),
      "bootstrap: "
      "authorities[\"a\"].fallback_on_reachability_only: must be a boolean (got a number) at "
      "line 8, column 77; "
      "authorities[\"a\"].xds_servers: must be an array (got an object) at line 8, column 40; "
      "node.id: must be a string (got a number) at line 7, column 18; "
      "node.metadata: must be an object (got a string) at line 7, column 33; "
      "server_listener_resource_name_template: must be a string (got a boolean) at line 9, "
      "column 45; "
      "xds_servers[0].channel_creds[0].config: must give certificate_file and "
      "private_key_file both or neither at line 3, column 67; "
      "xds_servers[0].channel_creds[0].config.private_key_file: must not be empty at line 3, "
      "column 88; "
      "xds_servers[0].server_uri: must be a string (got a number) at line 3, column 20; "
      "xds_servers[1].channel_creds: missing in the object at line 4, column 5; "
      "xds_servers[1].server_uri: missing in the object at line 4, column 5 (is "
      "\"server_url\" a slip?); "
      "xds_servers[2]: must be an object (got a number) at line 5, column 5");
}

// More than a NACK would quote: a person mends a file in one go.
TEST(BootstrapErrors, AreNotCutShort) {
  std::string servers;
  for (int i = 0; i < 50; ++i) absl::StrAppend(&servers, i == 0 ? "" : ",", i);
  const std::string error = ErrorOf(absl::StrCat("{\"xds_servers\": [", servers, "]}"));
  EXPECT_THAT(error, HasSubstr("xds_servers[49]: must be an object (got a number)"));
  EXPECT_THAT(error, Not(HasSubstr("more")));
}

TEST(BootstrapErrors, QuoteOnlyTheBeginningOfALongName) {
  const std::string longer(1'000'000, 'x');
  const std::string error =
      ErrorOf(absl::StrCat(R"({"xds_servers": [{"server_uri": "u", "channel_creds": [{"type": ")",
                           longer, R"("}]}],)", R"("authorities": {")", longer, R"(": 1}})"));
  EXPECT_LT(error.size(), 1000u);
}

// Nor values of keys nobody knows. A string that is itself what is wrong is quoted, as the rows
// above show.
TEST(BootstrapErrors, DoNotQuoteValuesOfTheWrongType) {
  const std::string error = ErrorOf(R"({"xds_servers": [{"server_uri": ["s3cret"],
    "channel_creds": [{"type": "tls", "config": {"private_key_file": {"key": "s3cret"}}}],
    "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": ["s3cret"]}}],
    "token": "s3cret"}], "node": {"id": {"x": "s3cret"}}})");
  EXPECT_THAT(error, StartsWith("bootstrap: node.id: must be a string"));
  EXPECT_THAT(error, Not(HasSubstr("s3cret")));
  EXPECT_THAT(ErrorOf(R"({"token": s3cret})"), Not(HasSubstr("3cret")));
}

TEST(BootstrapErrors, StopAtTheFirstMistakeInSyntax) {
  EXPECT_EQ(ErrorOf("{\n  \"node\": 1\n  \"xds_servers\": 2\n}"),
            "bootstrap: line 3, column 3: expected \",\" or \"}\" after a member (got a quote)");
  EXPECT_EQ(ErrorOf(""), "bootstrap: line 1, column 1: expected a value (got the end of the text)");
  EXPECT_EQ(ErrorOf("/etc/xds/bootstrap.json"),
            "bootstrap: line 1, column 1: expected a value (got \"/\")");
  EXPECT_EQ(ErrorOf("{\"node\": \"\xFF\"}"),
            "bootstrap: line 1, column 11: expected valid UTF-8 in a string (got byte 0xff)");
  EXPECT_EQ(ErrorOf(std::string(10'000, '[')),
            "bootstrap: line 1, column 101: nested deeper than 100 levels");
  EXPECT_EQ(ErrorOf(std::string(20'000'000, '{')),
            "bootstrap: text of 20000000 bytes is longer than the limit of 16777216 bytes");
  EXPECT_EQ(
      ErrorOf(R"({"xds_servers": [], "xds_servers": []})"),
      "bootstrap: line 1, column 21: key \"xds_servers\" appears twice (its first value is at "
      "line 1, column 17)");
}

TEST(BootstrapErrors, NameTheEndOfATruncatedBootstrap) {
  const std::string whole = R"({"xds_servers": [{"server_uri": "cp:1",
 "channel_creds": [{"type": "tls", "config": {"refresh_interval": "60s"}}],
 "server_features": ["xds_v3", 1.5, true, false, null]}],
 "node": {"id": "\u0041", "metadata": {"x": [-1e2]}}})";
  ASSERT_EQ(ErrorOf(whole), "no error");
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string error = ErrorOf(whole.substr(0, length));
    EXPECT_THAT(error, StartsWith("bootstrap: line ")) << length;
    EXPECT_THAT(error, EndsWith(" (got the end of the text)")) << length;
  }
}

// A byte that is not UTF-8, anywhere: an error in words, never a crash.
TEST(BootstrapErrors, NameAByteThatIsNotText) {
  const std::string whole =
      R"({"xds_servers": [{"server_uri": "u", "channel_creds": [{"type": "insecure"}]}]})";
  ASSERT_EQ(ErrorOf(whole), "no error");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = '\xFF';
    EXPECT_EQ(ErrorOf(broken).substr(0, 18), "bootstrap: line 1,") << at;
    EXPECT_THAT(ErrorOf(broken), EndsWith("(got byte 0xff)")) << at;
  }
}

}  // namespace
}  // namespace holdfast
