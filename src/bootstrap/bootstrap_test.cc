#include "bootstrap/bootstrap.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::string_view kInsecureServer =
    R"({"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]})";

// Everything the format has.
constexpr absl::string_view kFullBootstrap = R"json({
  "xds_servers": [
    {
      "server_uri": "cp-1:18000",
      "channel_creds": [
        {"type": "google_default"},
        {"type": "tls", "config": {"ca_certificate_file": "/ca.pem", "certificate_file": "/me.pem",
                                   "private_key_file": "/me.key", "refresh_interval": "0.5s"}},
        {"type": "insecure"}
      ],
      "call_creds": [
        {"type": "jwt_token_file", "config": {"jwt_token_file": "/token"}},
        {"type": "mystery", "config": {"anything": 1}},
        {"type": "jwt_token_file", "config": {"jwt_token_file": "/token2"}}
      ],
      "server_features": ["fail_on_data_errors", "ignore_resource_deletion", "xds_v3"],
      "future": {"key": []}
    },
    {"server_uri": "cp-2:18000", "channel_creds": [{"type": "insecure"}]}
  ],
  "node": {
    "id": "web-1",
    "cluster": "web",
    "locality": {"region": "eu", "zone": "b", "sub_zone": "r7"},
    "metadata": {"team": "shop", "weights": [1, 2.5]},
    "user_agent_name": 7
  },
  "authorities": {
    "": {},
    "a.example": {
      "client_listener_resource_name_template":
        "xdstp://a.example/envoy.config.listener.v3.Listener/x/%s",
      "xds_servers": [{"server_uri": "cp-a:1", "channel_creds": [{"type": "insecure"}]}],
      "fallback_on_reachability_only": true
    }
  },
  "certificate_providers": {
    "default": {
      "plugin_name": "file_watcher",
      "config": {"certificate_file": "/c", "private_key_file": "/k", "ca_certificate_file": "/r",
                 "spiffe_trust_bundle_map_file": "/s", "refresh_interval": "60s"}
    }
  },
  "client_default_listener_resource_name_template":
    "xdstp://a.example/envoy.config.listener.v3.Listener/%s",
  "server_listener_resource_name_template": "grpc/server?address=%s"
})json";

ParsedBootstrap Parsed(absl::string_view json) {
  absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(json);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *std::move(parsed) : ParsedBootstrap{};
}

BootstrapConfig WithTopLevel(absl::string_view more) {
  return Parsed(absl::StrCat(R"({"xds_servers": [)", kInsecureServer, "]", more, "}")).bootstrap;
}

// The first server, with more members.
XdsServerConfig WithServer(absl::string_view members) {
  const ParsedBootstrap parsed =
      Parsed(absl::StrCat(R"({"xds_servers": [{"server_uri": "cp:1", )", members, "}]}"));
  return parsed.bootstrap.servers.empty() ? XdsServerConfig{} : parsed.bootstrap.servers[0];
}

std::string ErrorOf(absl::string_view json) {
  const absl::StatusOr<ParsedBootstrap> parsed = ParseBootstrap(json);
  if (parsed.ok()) return "no error";
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(parsed.status().message());
}

TEST(Bootstrap, ReadsEverythingItKnows) {  // R7.02, all rows of R7.B
  const ParsedBootstrap parsed = Parsed(kFullBootstrap);
  const BootstrapConfig& bootstrap = parsed.bootstrap;
  EXPECT_THAT(parsed.warnings, IsEmpty());

  const XdsServerConfig first = {
      .server_uri = "cp-1:18000",
      .channel_credentials = TlsChannelCredentials{{.ca_certificate_file = "/ca.pem",
                                                    .certificate_file = "/me.pem",
                                                    .private_key_file = "/me.key",
                                                    .spiffe_trust_bundle_map_file = "",
                                                    .refresh_interval = absl::Milliseconds(500)}},
      .call_credentials = {{.jwt_token_file = "/token"}, {.jwt_token_file = "/token2"}},
      .features = {.fail_on_data_errors = true, .ignore_resource_deletion = true}};
  const XdsServerConfig second = {.server_uri = "cp-2:18000",
                                  .channel_credentials = InsecureChannelCredentials{},
                                  .call_credentials = {},
                                  .features = {}};
  EXPECT_THAT(bootstrap.servers, ElementsAre(first, second));

  EXPECT_EQ(bootstrap.node.id, "web-1");
  EXPECT_EQ(bootstrap.node.cluster, "web");
  EXPECT_EQ(bootstrap.node.locality, (Locality{.region = "eu", .zone = "b", .sub_zone = "r7"}));
  EXPECT_EQ(*bootstrap.node.metadata.at("team").if_string(), "shop");
  EXPECT_EQ(bootstrap.node.metadata.at("weights").if_array()->size(), 2u);
  EXPECT_EQ(bootstrap.node.user_agent_name, "");

  EXPECT_EQ(bootstrap.authorities.size(), 2u);
  EXPECT_EQ(bootstrap.authorities.at(""),
            (Authority{.client_listener_resource_name_template =
                           "xdstp:///envoy.config.listener.v3.Listener/%s",
                       .servers = {},
                       .fallback_on_reachability_only = false}));
  EXPECT_EQ(bootstrap.authorities.at("a.example"),
            (Authority{.client_listener_resource_name_template =
                           "xdstp://a.example/envoy.config.listener.v3.Listener/x/%s",
                       .servers = {{.server_uri = "cp-a:1",
                                    .channel_credentials = InsecureChannelCredentials{},
                                    .call_credentials = {},
                                    .features = {}}},
                       .fallback_on_reachability_only = true}));

  const CertificateProviderConfig& provider = bootstrap.certificate_providers.at("default");
  EXPECT_EQ(provider.plugin_name, "file_watcher");
  EXPECT_EQ(provider.files, (CertificateFiles{.ca_certificate_file = "/r",
                                              .certificate_file = "/c",
                                              .private_key_file = "/k",
                                              .spiffe_trust_bundle_map_file = "/s",
                                              .refresh_interval = absl::Seconds(60)}));
  EXPECT_EQ(bootstrap.client_default_listener_resource_name_template,
            "xdstp://a.example/envoy.config.listener.v3.Listener/%s");
  EXPECT_EQ(bootstrap.server_listener_resource_name_template, "grpc/server?address=%s");
}

TEST(Bootstrap, NeedsNoMoreThanAServer) {  // defaults of R7.B
  BootstrapConfig least;
  least.servers = {{.server_uri = "cp:1",
                    .channel_credentials = InsecureChannelCredentials{},
                    .call_credentials = {},
                    .features = {}}};
  EXPECT_EQ(WithTopLevel(""), least);
  EXPECT_EQ(least.client_default_listener_resource_name_template, "%s");
  EXPECT_EQ(least.server_listener_resource_name_template, std::nullopt);
  EXPECT_EQ(WithTopLevel(R"(, "node": {"locality": {}, "metadata": {}}, "authorities": {},
                             "certificate_providers": {})"),
            least);
}

TEST(Bootstrap, IgnoresUnknownKeysEverywhere) {  // R7.02
  EXPECT_EQ(WithTopLevel(R"(, "a": 1, "node": {"b": 2, "locality": {"c": null}})"),
            WithTopLevel(""));
  EXPECT_EQ(WithServer(R"("channel_creds": [{"type": "insecure", "d": 1}], "e": 2)"),
            WithServer(R"("channel_creds": [{"type": "insecure"}])"));
}

TEST(Bootstrap, AnAuthorityWithoutServersUsesThoseOfTheBootstrap) {  // R7.B
  EXPECT_THAT(
      WithTopLevel(R"(, "authorities": {"a": {"xds_servers": []}})").authorities.at("a").servers,
      IsEmpty());
}

TEST(Bootstrap, AnAuthorityMaySayThatReachabilityIsNotAll) {  // R7.B
  EXPECT_FALSE(WithTopLevel(R"(, "authorities": {"a": {"fallback_on_reachability_only": false}})")
                   .authorities.at("a")
                   .fallback_on_reachability_only);
}

TEST(Bootstrap, AnAuthorityIsEncodedInItsTemplate) {  // R7.B
  EXPECT_EQ(WithTopLevel(R"(, "authorities": {"b c": {}})")
                .authorities.at("b c")
                .client_listener_resource_name_template,
            "xdstp://b%20c/envoy.config.listener.v3.Listener/%s");
  for (const absl::string_view name_template :
       {"xdstp://b c/T/%s", "xdstp://b%20c/T/%s", "xdstp://%62%20c/T/%s"}) {
    EXPECT_EQ(
        WithTopLevel(
            absl::StrCat(R"(, "authorities": {"b c": {"client_listener_resource_name_template": ")",
                         name_template, "\"}}"))
            .authorities.at("b c")
            .client_listener_resource_name_template,
        name_template);
  }
}

TEST(Bootstrap, AnAuthorityOfReservedCharactersIsOnlyMeantEncoded) {  // R7.B
  struct Row {
    absl::string_view name;
    absl::string_view encoded;
  };
  const Row kTable[] = {{"b%20c", "b%2520c"}, {"b#c", "b%23c"}, {"b/c", "b%2Fc"}, {"b?c", "b%3Fc"}};
  for (const Row& row : kTable) {
    const auto with = [&](absl::string_view authority) {
      return absl::StrCat(R"({"xds_servers": [)", kInsecureServer, "],\n",  //
                          R"("authorities": {")", row.name, "\":\n",
                          R"({"client_listener_resource_name_template": "xdstp://)", authority,
                          R"(/T/%s"}}})");
    };
    EXPECT_EQ(ErrorOf(with(row.encoded)), "no error");
    EXPECT_EQ(ErrorOf(with(row.name)),
              absl::StrCat("bootstrap: authorities[\"", row.name,
                           "\"].client_listener_resource_name_template: must begin with "
                           "\"xdstp://",
                           row.encoded, "/\" (got \"xdstp://", row.name,
                           "/T/%s\") at line 3, column 44"));
  }
}

// `levels` objects and arrays in turn, the innermost empty.
std::string Nested(int levels) {
  std::string open;
  std::string close;
  for (int level = 1; level <= levels; ++level) {
    const bool is_object = level % 2 == 1;
    absl::StrAppend(&open, is_object ? "{" : "[", level == levels || !is_object ? "" : "\"k\":");
    close = absl::StrCat(is_object ? "}" : "]", close);
  }
  return absl::StrCat(open, close);
}

TEST(Bootstrap, RefusesMetadataThatServersCouldNotParse) {
  const auto error = [](int levels) {
    return ErrorOf(absl::StrCat(R"({"xds_servers": [)", kInsecureServer,
                                "], \"node\": {\"metadata\":\n", Nested(levels), "}}"));
  };
  EXPECT_EQ(Nested(3), R"({"k":[{}]})");
  EXPECT_EQ(error(30), "no error");
  // 15 times {"k":[ before it.
  EXPECT_EQ(error(31),
            "bootstrap: node.metadata: nested deeper than 30 levels at line 2, column 91");
  EXPECT_EQ(error(60),
            "bootstrap: node.metadata: nested deeper than 30 levels at line 2, column 91");
}

TEST(Bootstrap, TakesTheFirstSupportedChannelCredentials) {  // R7.20, R7.21
  const XdsServerConfig insecure = WithServer(R"("channel_creds": [{"type": "insecure"}])");
  const XdsServerConfig tls = WithServer(R"("channel_creds": [{"type": "tls"}])");
  EXPECT_TRUE(std::holds_alternative<InsecureChannelCredentials>(insecure.channel_credentials));
  EXPECT_EQ(tls.channel_credentials, ChannelCredentialsConfig(TlsChannelCredentials{}));
  EXPECT_EQ(std::get<TlsChannelCredentials>(tls.channel_credentials).files.refresh_interval,
            absl::Seconds(600));
  EXPECT_EQ(WithServer(R"("channel_creds": [{"type": "insecure", "config": {"x": 1}},
                                            {"type": "tls"}])"),
            insecure);
  EXPECT_EQ(WithServer(R"("channel_creds": [{"type": "google_default"}, {"type": "xyz"},
                                            {"type": "tls", "config": {}}, {"type": "insecure"}])"),
            tls);
}

TEST(Bootstrap, ReadsDurationsAsProtobufWritesThem) {  // R7.21
  struct Row {
    absl::string_view text;
    absl::Duration duration;
  };
  const Row kTable[] = {
      {"600s", absl::Seconds(600)},
      {"1s", absl::Seconds(1)},
      {"0.5s", absl::Milliseconds(500)},
      {"3.000000001s", absl::Seconds(3) + absl::Nanoseconds(1)},
      {"315576000000s", absl::Seconds(315'576'000'000)},
  };
  for (const Row& row : kTable) {
    const XdsServerConfig server = WithServer(
        absl::StrCat(R"("channel_creds": [{"type": "tls", "config": {"refresh_interval": ")",
                     row.text, "\"}}]"));
    EXPECT_EQ(std::get<TlsChannelCredentials>(server.channel_credentials).files.refresh_interval,
              row.duration);
  }
  for (const absl::string_view text :
       {"", "s", "600", "10m", "-1s", "+1s", " 1s", "1 s", ".5s", "1.s", "1e3s", "0s", "0.0s",
        "0.0000000001s", "315576000001s", "99999999999999999999s", "infs"}) {
    EXPECT_EQ(
        ErrorOf(absl::StrCat(R"({"xds_servers": [{"server_uri": "a",
"channel_creds": [{"type": "tls", "config": {"refresh_interval": ")",
                             text, "\"}}]}]}")),
        absl::StrCat("bootstrap: xds_servers[0].channel_creds[0].config.refresh_interval: must "
                     "be a positive number of seconds such as \"600s\" (got \"",
                     text, "\") at line 2, column 66"));
  }
}

TEST(Bootstrap, FoldsTheFeaturesItKnows) {  // R7.D, DEC-01
  const auto features = [](absl::string_view list) {
    return WithServer(absl::StrCat(
                          R"("channel_creds": [{"type": "insecure"}], "server_features": )", list))
        .features;
  };
  EXPECT_EQ(features("[]"), ServerFeatures{});
  EXPECT_EQ(features(R"(["fail_on_data_errors"])"), ServerFeatures{.fail_on_data_errors = true});
  EXPECT_EQ(features(R"(["resource_timer_is_transient_error"])"),
            ServerFeatures{.resource_timer_is_transient_error = true});
  EXPECT_EQ(features(R"(["resource_timer_is_transient_failure"])"),
            ServerFeatures{.resource_timer_is_transient_error = true});
  EXPECT_EQ(features(R"(["ignore_resource_deletion"])"),
            ServerFeatures{.ignore_resource_deletion = true});
  EXPECT_EQ(features(R"(["trusted_xds_server"])"), ServerFeatures{.trusted_xds_server = true});
  EXPECT_EQ(features(R"(["holdfast_incremental"])"), ServerFeatures{.holdfast_incremental = true});
  EXPECT_EQ(features(R"(["xds_v3", "xds_v9", 1, null, {"a": []}, ["fail_on_data_errors"]])"),
            ServerFeatures{});
}

// R7.30: what tells two servers apart, and what does not.
TEST(XdsServerConfig, IsItsOwnIdentity) {
  const XdsServerConfig plain = WithServer(R"("channel_creds": [{"type": "insecure"}])");
  const absl::string_view kSame[] = {
      R"("channel_creds": [{"type": "insecure", "config": {}}, {"type": "tls"}])",
      R"("channel_creds": [{"type": "insecure"}], "server_features": ["unheard_of", 3, "xds_v3"])",
      R"("channel_creds": [{"type": "insecure"}], "call_creds": [{"type": "mystery"}], "x": 1)",
      // Not sent over insecure channels, so not part of it.
      R"("channel_creds": [{"type": "insecure"}],
         "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": "/a"}}])",
  };
  for (const absl::string_view members : kSame) EXPECT_EQ(WithServer(members), plain) << members;

  const absl::string_view kOther[] = {
      R"("channel_creds": [{"type": "insecure"}], "server_features": ["fail_on_data_errors"])",
      R"("channel_creds": [{"type": "insecure"}],
         "server_features": ["resource_timer_is_transient_error"])",
      R"("channel_creds": [{"type": "tls"}])",
      R"("channel_creds": [{"type": "tls", "config": {"refresh_interval": "1s"}}])",
      R"("channel_creds": [{"type": "tls", "config": {"ca_certificate_file": "/ca"}}])",
      R"("channel_creds": [{"type": "tls"}],
         "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": "/a"}}])",
      R"("channel_creds": [{"type": "tls"}],
         "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": "/b"}}])",
  };
  std::set<XdsServerConfig> servers = {plain};
  for (const absl::string_view members : kOther) {
    EXPECT_TRUE(servers.insert(WithServer(members)).second) << members;
    EXPECT_FALSE(servers.insert(WithServer(members)).second) << members;
  }
  XdsServerConfig elsewhere = plain;
  elsewhere.server_uri = "cp:2";
  EXPECT_TRUE(servers.insert(elsewhere).second);
  // The alias is the same feature (DEC-01).
  EXPECT_FALSE(servers
                   .insert(WithServer(R"("channel_creds": [{"type": "insecure"}],
                           "server_features": ["resource_timer_is_transient_failure"])"))
                   .second);
}

TEST(Bootstrap, WarnsOnceOfTheOldSpellingOfAFeature) {  // DEC-01
  EXPECT_THAT(Parsed(R"({"xds_servers": [
{"server_uri": "a", "channel_creds": [{"type": "insecure"}],
 "server_features": ["xds_v3", "resource_timer_is_transient_failure"]},
{"server_uri": "b", "channel_creds": [{"type": "insecure"}],
 "server_features": ["resource_timer_is_transient_failure"]}]})")
                  .warnings,
              ElementsAre("xds_servers[0].server_features[1]: "
                          "\"resource_timer_is_transient_failure\" is an old spelling, write "
                          "\"resource_timer_is_transient_error\" (line 3, column 32)"));
}

TEST(Bootstrap, WarnsOfKeysThatLookLikeSlips) {
  EXPECT_THAT(
      Parsed(R"({"nodes": {}, "xds_servers": [
{"server_uri": "a", "channel_creds": [{"type": "insecure"}], "server_feature": [], "comment": ""}],
"authorities": {"a": {"xds_server": [], "fallback_on_reachability": true}}})")
          .warnings,
      ElementsAre(
          "authorities[\"a\"].xds_server: unknown key, did you mean \"xds_servers\"? (line 3, "
          "column 37)",
          "nodes: unknown key, did you mean \"node\"? (line 1, column 11)",
          "xds_servers[0].server_feature: unknown key, did you mean \"server_features\"? (line 2, "
          "column 80)"));
}

TEST(Bootstrap, WarnsOfSlipsAtEveryLevel) {
  EXPECT_THAT(
      Parsed(R"({"xds_servers": [{"server_uri": "a",
"channel_creds": [{"type": "tls", "config": {"ca_certificate_fil": "/ca"}, "Config": {}}],
"call_creds": [{"type": "x", "confg": {}}]}],
"node": {"ID": "a", "locality": {"subzone": "b"}, "metadata": {"metadat": 1}},
"certificate_providers": {"c": {"plugin_name": "file_watcher", "plugin-name": "",
"config": {"ca_certificate_file": "/r", "refresh_intervall": "1s"}}}})")
          .warnings,
      ElementsAre(
          "certificate_providers[\"c\"].config.refresh_intervall: unknown key, did you mean "
          "\"refresh_interval\"? (line 6, column 62)",
          "certificate_providers[\"c\"].plugin-name: unknown key, did you mean \"plugin_name\"? "
          "(line 5, column 79)",
          "node.ID: unknown key, did you mean \"id\"? (line 4, column 16)",
          "node.locality.subzone: unknown key, did you mean \"sub_zone\"? (line 4, column 45)",
          "xds_servers[0].call_creds[0].confg: unknown key, did you mean \"config\"? (line 3, "
          "column 39)",
          "xds_servers[0].channel_creds[0].Config: unknown key, did you mean \"config\"? (line 2, "
          "column 86)",
          "xds_servers[0].channel_creds[0].config.ca_certificate_fil: unknown key, did you mean "
          "\"ca_certificate_file\"? (line 2, column 68)"));
}

TEST(Bootstrap, WarnsOfFeaturesThatLookLikeSlips) {
  const ParsedBootstrap parsed = Parsed(R"({"xds_servers": [
{"server_uri": "a", "channel_creds": [{"type": "insecure"}],
 "server_features": ["fail_on_data_error", "xds_v4", "unheard_of"]}]})");
  EXPECT_THAT(parsed.warnings,
              ElementsAre("xds_servers[0].server_features[0]: unknown feature "
                          "\"fail_on_data_error\", did you mean \"fail_on_data_errors\"? (line 3, "
                          "column 22)"));
  EXPECT_EQ(parsed.bootstrap.servers[0].features, ServerFeatures{});
}

TEST(Bootstrap, WarnsOfCredentialsThatWillNotBeUsed) {  // R7.21, R7.22
  EXPECT_THAT(
      Parsed(R"({"xds_servers": [
{"server_uri": "a", "channel_creds": [{"type": "insecure"}],
 "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": "/a"}}]},
{"server_uri": "b", "channel_creds": [{"type": "tls", "config": {
 "spiffe_trust_bundle_map_file": "/s"}}]}]})")
          .warnings,
      ElementsAre(
          "xds_servers[0].call_creds: not sent over insecure channel_creds (line 3, column "
          "16)",
          "xds_servers[1].channel_creds[0].config.spiffe_trust_bundle_map_file: not used by "
          "tls channel credentials (line 5, column 34)"));
}

}  // namespace
}  // namespace holdfast
