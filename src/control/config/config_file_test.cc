#include "control/config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "control/config/problem.h"
#include "resources/decode/decode.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

ConfigFile Read(absl::string_view text) {
  return ReadConfigFile("pay.yaml", text, *Schema::Embedded());
}

std::vector<std::string> TextsOf(const ConfigFile& file) {
  std::vector<std::string> texts;
  for (const Problem& problem : file.problems) texts.push_back(TextOf(problem));
  return texts;
}

constexpr absl::string_view kCluster = R"(
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: pay
  type: EDS
  connect_timeout: 1s
  eds_cluster_config: {eds_config: {ads: {}}}
)";

TEST(ConfigFile, AClusterBecomesBytes) {
  const ConfigFile file = Read(kCluster);
  EXPECT_THAT(TextsOf(file), IsEmpty());
  EXPECT_TRUE(file.is_readable);
  ASSERT_THAT(file.resources, SizeIs(1));
  const Resource& resource = *file.resources[0].resource;
  EXPECT_EQ(resource.key(), (ResourceKey{std::string(kClusterTypeName), "pay"}));
  EXPECT_THAT(resource.children(),
              ElementsAre(ResourceKey{std::string(kEndpointsTypeName), "pay"}));
  EXPECT_EQ(resource.body(),
            absl::string_view("\x0a\x03pay\x10\x03\x1a\x04\x0a\x02\x1a\x00\x22\x02\x08\x01", 17));
  EXPECT_TRUE(DecodeCluster(resource.body(), {}).errors.ok());
  EXPECT_EQ(file.resources[0].place.line, 3);
  EXPECT_EQ(file.resources[0].place.column, 3);
  EXPECT_EQ(file.resources[0].place.field, "resources[0]");
}

std::vector<std::string> ProblemsOf(absl::string_view text) { return TextsOf(Read(text)); }

std::vector<std::string> NamesOf(const ConfigFile& file) {
  std::vector<std::string> names;
  for (const DefinedResource& defined : file.resources) {
    names.push_back(absl::StrCat(defined.resource->type(), "/", defined.resource->name()));
  }
  return names;
}

std::vector<std::string> InvalidOf(const ConfigFile& file) {
  std::vector<std::string> texts;
  for (const InvalidResource& invalid : file.invalid) {
    texts.push_back(absl::StrCat(invalid.key.name, ": ", invalid.text));
  }
  return texts;
}

TEST(ConfigFile, AnInvalidResourceIsKnownByNameAndHoldsUpNoOther) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: bad
  lb_policyy: ROUND_ROBIN
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  clusterName: good
)");
  EXPECT_THAT(NamesOf(file), ElementsAre("envoy.config.endpoint.v3.ClusterLoadAssignment/good"));
  const std::string text =
      "pay.yaml:5:3: error: resources[0].lb_policyy: unknown field of "
      "envoy.config.cluster.v3.Cluster; did you mean lb_policy?";
  EXPECT_THAT(InvalidOf(file), ElementsAre("bad: " + text));
  EXPECT_THAT(TextsOf(file), ElementsAre(text));
  EXPECT_FALSE(file.has_unnamed);
}

// But which one cannot be told: what the file no longer has may be it.
TEST(ConfigFile, AnUnknownTypeIsStillAResource) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Clutser
  name: bad
)");
  EXPECT_THAT(TextsOf(file), ElementsAre("pay.yaml:3:12: error: resources[0].@type: unknown type "
                                         "\"envoy.config.cluster.v3.Clutser\"; did you mean "
                                         "envoy.config.cluster.v3.Cluster?"));
  ASSERT_THAT(file.invalid, SizeIs(1));
  EXPECT_EQ(file.invalid[0].key, (ResourceKey{"envoy.config.cluster.v3.Clutser", "bad"}));
  EXPECT_TRUE(file.has_unnamed);
}

TEST(ConfigFile, AnUnknownTypeInAWrapperIsOneToo) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource
  name: bad
  resource:
    "@type": type.googleapis.com/envoy.config.cluster.v3.Clutser
    name: bad
)");
  EXPECT_THAT(TextsOf(file),
              ElementsAre("pay.yaml:6:14: error: resources[0].resource.@type: unknown type "
                          "\"envoy.config.cluster.v3.Clutser\"; did you mean "
                          "envoy.config.cluster.v3.Cluster?"));
  EXPECT_TRUE(file.has_unnamed);
  EXPECT_TRUE(Read(R"(
resources:
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resorce
  name: bad
  resource: {"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: bad}
)")
                  .has_unnamed);
}

TEST(ConfigFile, WithTheEmbeddedSchemaOneIsToldOfTheFullOne) {
  EXPECT_THAT(ProblemsOf(R"(
resources:
- "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret
  name: s
)"),
              ElementsAre("pay.yaml:3:12: error: resources[0].@type: unknown type "
                          "\"envoy.extensions.transport_sockets.tls.v3.Secret\"; only the embedded "
                          "schema is loaded, which is small: for the full one run ./dev setup or "
                          "give --protoset FILE"));
}

TEST(ConfigFile, AResourceWithoutANameIsAnError) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
- {"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: "*"}
- {"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: 7}
- {"@type": type.googleapis.com/envoy.config.core.v3.Node, id: x}
- 5
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre(
          "pay.yaml:3:3: error: resources[0].name: a resource must have a name",
          "pay.yaml:4:72: error: resources[1].name: must not be \"*\", with which clients "
          "ask for everything",
          "pay.yaml:5:72: error: resources[2].name: expected a string, got a number (7); "
          "write it in quotes",
          "pay.yaml:6:3: error: resources[3]: has no name: envoy.config.core.v3.Node has no "
          "field name; put it in an envoy.service.discovery.v3.Resource with name and "
          "resource",
          "pay.yaml:7:3: error: resources[4]: expected a map with \"@type\", got a number "
          "(5)"));
  EXPECT_THAT(file.resources, IsEmpty());
  EXPECT_TRUE(file.has_unnamed);
}

TEST(ConfigFile, AWrapperGivesNameAndTtl) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource
  name: pay
  ttl: 30s
  version: "7"
  resource:
    "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
    cluster_name: pay
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre("pay.yaml:6:3: warning: resources[0].version: is not served: of a wrapper "
                  "only name, ttl and resource are"));
  ASSERT_THAT(file.resources, SizeIs(1));
  const Resource& resource = *file.resources[0].resource;
  EXPECT_EQ(resource.key(), (ResourceKey{std::string(kEndpointsTypeName), "pay"}));
  EXPECT_EQ(resource.ttl(), absl::Seconds(30));
  EXPECT_EQ(resource.body(), "\x0a\x03pay");
}

TEST(ConfigFile, MistakesInAWrapperHaveTheirPlace) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource
  name: pay
  ttl: 0s
  resource:
    "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
    cluster_name: other
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource
  name: none
- "@type": type.googleapis.com/envoy.service.discovery.v3.Resource
  resource:
    "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
    cluster_name: broken
    endpoint: []
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre(
          "pay.yaml:5:8: error: resources[0].ttl: must be more than 0s: a client would drop "
          "the resource at once",
          "pay.yaml:7:5: warning: resources[0].resource: is called \"other\", but its "
          "wrapper says \"pay\": clients disagree which of them counts",
          "pay.yaml:9:3: error: resources[1].resource: is missing",
          "pay.yaml:15:5: error: resources[2].resource.endpoint: unknown field of "
          "envoy.config.endpoint.v3.ClusterLoadAssignment; did you mean endpoints?"));
  EXPECT_THAT(file.resources, IsEmpty());
  ASSERT_THAT(file.invalid, SizeIs(2));
  EXPECT_EQ(file.invalid[0].key.name, "pay");
  EXPECT_EQ(file.invalid[1].key.name, "broken");
}

TEST(ConfigFile, LintFindingsArePlaced) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: pay
  type: EDS
  lb_policy: RANDOM
  edsClusterConfig: {edsConfig: {ads: {}}}
)");
  ASSERT_THAT(file.problems, SizeIs(1));
  EXPECT_EQ(file.problems[0].kind, Problem::Kind::kWarning);
  EXPECT_EQ(file.problems[0].line, 6);
  EXPECT_EQ(file.problems[0].field, "resources[0].lb_policy");
  EXPECT_THAT(file.resources, SizeIs(1));
}

TEST(ConfigFile, AServiceBecomesFourResourcesThatClientsTake) {
  for (const char* const lb : {"round_robin", "least_request", "ring_hash", "pick_first"}) {
    const ConfigFile file = Read(absl::StrCat("services:\n- name: \"w\\\"ä😀\"\n  lb: ", lb, R"(
  endpoints: ["127.0.0.1:9001", "[::1]:9002", {address: "127.0.0.1:9003", weight: 3}]
)"));
    EXPECT_THAT(TextsOf(file), IsEmpty());
    const auto full = [](absl::string_view type) { return absl::StrCat(type, "/w\"ä😀"); };
    ASSERT_THAT(NamesOf(file), ElementsAre(full(kListenerTypeName), full(kRouteConfigTypeName),
                                           full(kClusterTypeName), full(kEndpointsTypeName)));
    const auto listener = DecodeListener(file.resources[0].resource->body(), {});
    EXPECT_EQ(listener.errors.Text(), "");
    const auto routes = DecodeRouteConfig(file.resources[1].resource->body(), {});
    EXPECT_EQ(routes.errors.Text(), "");
    const auto cluster = DecodeCluster(file.resources[2].resource->body(), {});
    EXPECT_EQ(cluster.errors.Text(), "");
    const auto endpoints = DecodeEndpoints(file.resources[3].resource->body(), {});
    EXPECT_EQ(endpoints.errors.Text(), "");
    EXPECT_THAT(file.resources[0].resource->children(), SizeIs(1));
    EXPECT_THAT(file.resources[2].resource->children(), SizeIs(1));
  }
}

TEST(ConfigFile, AServiceIsTheSameInEverySchema) {
  constexpr absl::string_view kText = "services: [{name: web, endpoints: [\"127.0.0.1:80\"]}]\n";
  const auto full = Schema::Load("");
  ASSERT_TRUE(full.ok()) << full.status();
  const ConfigFile with_full = ReadConfigFile("pay.yaml", kText, **full);
  const ConfigFile with_embedded = Read(kText);
  EXPECT_THAT(TextsOf(with_full), IsEmpty());
  ASSERT_THAT(with_full.resources, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(with_full.resources[i].resource->hash(), with_embedded.resources[i].resource->hash());
  }
}

TEST(ConfigFile, MistakesInServicesHaveTheirPlace) {
  const ConfigFile file = Read(R"(
services:
- name: web
  lb: round-robbin
  endpoint: []
- {name: a, endpoints: ["localhost:80", "127.0.0.1", "::1:80", "127.0.0.1:0", 5, {address: "1.2.3.4:5", weight: 0}]}
- {endpoints: []}
- web
- {name: "*", endpoints: []}
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre(
          "pay.yaml:3:3: error: services[0].endpoints: is missing; write [] if there are none",
          "pay.yaml:4:7: error: services[0].lb: unknown policy \"round-robbin\"; did you mean "
          "round_robin?",
          "pay.yaml:5:3: error: services[0].endpoint: unknown key; did you mean endpoints?",
          "pay.yaml:6:25: error: services[1].endpoints[0]: the host must be an IP address: clients "
          "look up no names in endpoints (got \"localhost:80\")",
          "pay.yaml:6:41: error: services[1].endpoints[1]: must be HOST:PORT, with a port from 1 "
          "to "
          "65535 (got \"127.0.0.1\")",
          "pay.yaml:6:54: error: services[1].endpoints[2]: an IPv6 address must be in brackets, "
          "such as [::1]:80 (got \"::1:80\")",
          "pay.yaml:6:64: error: services[1].endpoints[3]: must be HOST:PORT, with a port from 1 "
          "to "
          "65535 (got \"127.0.0.1:0\")",
          "pay.yaml:6:79: error: services[1].endpoints[4]: expected an address such as "
          "\"127.0.0.1:80\", got a number (5)",
          "pay.yaml:6:113: error: services[1].endpoints[5].weight: must be from 1 to 4294967295 "
          "(got 0)",
          "pay.yaml:7:3: error: services[2].name: is missing",
          "pay.yaml:8:3: error: services[3]: expected a map with name and endpoints, got \"web\"",
          "pay.yaml:9:10: error: services[4].name: must not be \"*\", with which clients ask for "
          "everything"));
  EXPECT_THAT(file.resources, IsEmpty());
  EXPECT_THAT(file.invalid, SizeIs(8));  // of web and a
}

TEST(ConfigFile, NamesAreInTheirCanonicalForm) {  // R1.91
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: xdstp://x/envoy.config.endpoint.v3.ClusterLoadAssignment/pay?b=2&a=1
errors:
- {type: cds, name: "xdstp://x/envoy.config.cluster.v3.Cluster/pay?b=2&a=1", code: 7}
)");
  EXPECT_THAT(TextsOf(file), IsEmpty());
  EXPECT_THAT(NamesOf(file),
              ElementsAre("envoy.config.endpoint.v3.ClusterLoadAssignment/"
                          "xdstp://x/envoy.config.endpoint.v3.ClusterLoadAssignment/pay?a=1&b=2"));
  EXPECT_EQ(file.errors.at(0).key.name, "xdstp://x/envoy.config.cluster.v3.Cluster/pay?a=1&b=2");
}

TEST(ConfigFile, ANameThatDoesNotLookAsItIsIsAWarning) {
  const ConfigFile file = Read(R"(
resources:
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: "pay\u202Eyap"
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre("pay.yaml:4:17: warning: resources[0].cluster_name: has control characters "
                  "or such as turn a text around, which nobody sees: \"pay   yap\"; type "
                  "the name anew"));
  EXPECT_THAT(file.resources, SizeIs(1));
}

TEST(ConfigFile, ALabelIsForTheTypesOfItsDocument) {
  const ConfigFile file = Read(absl::StrCat("version_info: v1", kCluster, "---\n",
                                            "services: [{name: w, endpoints: []}]\n"));
  EXPECT_THAT(TextsOf(file), IsEmpty());
  EXPECT_THAT(file.labels, ElementsAre(std::pair(std::string(kClusterTypeName), "v1")));
  EXPECT_THAT(ProblemsOf("version_info: 1.10\n"),
              ElementsAre("pay.yaml:1:15: error: version_info: expected a string, got a number "
                          "(1.10); write it in quotes"));
}

TEST(ConfigFile, ALabelIsForTheTypesOfErrorsToo) {
  const ConfigFile file =
      Read("version_info: v1\nerrors: [{type: cds, name: billing, code: NOT_FOUND}]\n");
  EXPECT_THAT(TextsOf(file), IsEmpty());
  EXPECT_THAT(file.labels, ElementsAre(std::pair(std::string(kClusterTypeName), "v1")));
}

TEST(ConfigFile, WhatIsWrongWithAServiceIsShownWhereItIsWritten) {
  EXPECT_THAT(ProblemsOf("services:\n- name: web\n  lb: maglev\n"
                         "  endpoints: [\"127.0.0.1:1\",\n   \"127.0.0.1:1\"]\n"),
              ElementsAre(StartsWith("pay.yaml:3:3: warning: services[0].lb: grpc: "),
                          "pay.yaml:5:4: warning: services[0].endpoints[1]: grpc: is the same "
                          "address as endpoints[0] (127.0.0.1:1)"));
}

// Who wrote it meant to keep something from somebody.
TEST(ConfigFile, ADocumentWithRulesThatAreNotUnderstoodIsNotServed) {
  for (const char* const key : {"nodes", "access", "nods"}) {
    const ConfigFile file = Read(absl::StrCat(key, ": {cluster: web}", kCluster, "---\n",
                                              "services: [{name: w, endpoints: []}]\n"));
    EXPECT_THAT(file.problems, SizeIs(1));
    EXPECT_EQ(file.problems[0].line, 1);
    EXPECT_EQ(file.problems[0].field, key);
    EXPECT_THAT(file.resources, SizeIs(4)) << "the other document";
    EXPECT_THAT(InvalidOf(file), ElementsAre("pay: " + TextOf(file.problems[0])));
  }
  EXPECT_THAT(ProblemsOf("nodes: {}\n"),
              ElementsAre("pay.yaml:1:1: error: nodes: is not supported yet, so nothing in this "
                          "document is served: without it everybody would get what is meant for "
                          "some"));
  EXPECT_THAT(ProblemsOf("resource: []\n"),
              ElementsAre("pay.yaml:1:1: error: resource: unknown key; did you mean resources?"));
}

// About all files: whoever reads them together must know of it.
TEST(ConfigFile, AnAccessRuleIsKnown) {
  const ConfigFile file = Read("nods: 1\naccess: []\n---\nerrors:\n");
  EXPECT_EQ(file.access_refusal,
            "pay.yaml:2:1: error: access: is not supported yet; nothing of this directory is "
            "served that was not served before, because without the rule everybody could read it");
  ASSERT_THAT(file.problems, SizeIs(2));
  EXPECT_EQ(TextOf(file.problems[1]), file.access_refusal);
  EXPECT_EQ(Read("nodes: {}\n").access_refusal, "");
}

// Whoever writes a file in place empties it first, and a crash may leave it so.
TEST(ConfigFile, AFileThatSaysNothingIsNotReadable) {
  for (const char* const text : {"", "\n", " \n\n", "# nothing yet\n", "\xef\xbb\xbf", "---\n"}) {
    EXPECT_FALSE(Read(text).is_readable) << text;
    EXPECT_THAT(ProblemsOf(text),
                ElementsAre("pay.yaml: error: is empty, as if half written; to delete what it "
                            "defines, delete the file or write resources: []"))
        << text;
  }
}

TEST(ConfigFile, WhatIsNoConfigurationIsNotReadable) {
  for (const char* const text : {"- a\n", "hello\n", "a: [\n", "\xff\xfe"}) {
    const ConfigFile file = Read(text);
    EXPECT_FALSE(file.is_readable) << text;
    EXPECT_THAT(file.problems, SizeIs(1)) << text;
  }
  EXPECT_THAT(ProblemsOf("- a\n"), ElementsAre("pay.yaml:1:1: error: a document must be a map with "
                                               "resources, services or errors (got a list)"));
  for (const char* const text : {"resources: []\n", "{}", "---\n---\nerrors:\n"}) {
    const ConfigFile file = Read(text);
    EXPECT_TRUE(file.is_readable) << text;
    EXPECT_THAT(file.problems, IsEmpty()) << text;
  }
  const ConfigFile half = Read("resources:\nservices:\n");
  EXPECT_TRUE(half.is_readable);
  EXPECT_THAT(TextsOf(half),
              ElementsAre("pay.yaml:1:1: warning: resources: has nothing behind it; write [] if "
                          "there are none",
                          "pay.yaml:2:1: warning: services: has nothing behind it; write [] if "
                          "there are none"));
  EXPECT_THAT(ProblemsOf("resources: {}\n"),
              ElementsAre("pay.yaml:1:12: error: resources: expected a list, got a map"));
}

TEST(ConfigFile, JsonAndYamlGiveTheSameBytes) {
  const ConfigFile yaml = Read(kCluster);
  const ConfigFile json = Read(
      R"({"resources":[{"edsClusterConfig":{"edsConfig":{"ads":{}}},"connectTimeout":"1s",)"
      R"("type":3,"name":"pay","@type":"type.googleapis.com/envoy.config.cluster.v3.Cluster"}]})");
  ASSERT_THAT(json.resources, SizeIs(1));
  EXPECT_EQ(json.resources[0].resource->hash(), yaml.resources[0].resource->hash());
}

}  // namespace
}  // namespace holdfast
