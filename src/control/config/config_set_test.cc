#include "control/config/config_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "tests/support/text_resource.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A file that is written by its test: one thing every ten lines.
class FileBuilder {
 public:
  explicit FileBuilder(std::string path) {
    file_.path = std::move(path);
    file_.is_readable = true;
  }

  FileBuilder& Add(absl::string_view type, std::string name, absl::string_view text = "") {
    const std::string body = text.empty() ? "" : FromText(type, text);
    file_.resources.push_back(
        {std::make_shared<const Resource>(std::string(type), std::move(name), body), Next()});
    return *this;
  }
  FileBuilder& AddInvalid(absl::string_view type, std::string name) {
    file_.invalid.push_back({{std::string(type), std::move(name)}, Next(), "bad"});
    return *this;
  }
  FileBuilder& AddError(absl::string_view type, std::string name, int code) {
    file_.errors.push_back(
        {{std::string(type), std::move(name)}, MakeNameError(code, "no"), Next("errors")});
    return *this;
  }
  FileBuilder& AddUnreadError(absl::string_view type, std::string name, bool may_deny) {
    file_.unread_errors.push_back(
        {{std::string(type), std::move(name)}, Next("errors"), "unreadable", may_deny});
    file_.has_unread_errors = true;
    return *this;
  }
  // Inside of what was added last.
  FileBuilder& AddWarning(std::string text) {
    file_.problems.push_back({.kind = Problem::Kind::kWarning,
                              .file = file_.path,
                              .line = count_ * 10 + 1,
                              .column = 5,
                              .field = "resources[0].x",
                              .text = std::move(text)});
    return *this;
  }
  operator ConfigFile() const { return file_; }  // NOLINT: reads like a list of files

 private:
  Place Next(absl::string_view list = "resources") {
    const int index = count_++;
    return {count_ * 10, 3, absl::StrCat(list, "[", index, "]")};
  }

  ConfigFile file_;
  int count_ = 0;
};

std::vector<std::string> Texts(std::vector<ConfigFile>& files) {
  std::vector<std::string> texts;
  for (const Problem& problem : LintTogether(absl::MakeSpan(files))) {
    texts.push_back(TextOf(problem));
  }
  return texts;
}

std::vector<std::string> Texts(std::vector<ConfigFile>&& files) { return Texts(files); }

std::string EdsCluster(absl::string_view service) {
  return absl::StrCat(R"(type: EDS eds_cluster_config { eds_config { ads {} } service_name: ")",
                      service, "\" }");
}

std::string RoutesTo(absl::string_view cluster) {
  return absl::StrCat(R"(virtual_hosts { domains: "*" routes { match { prefix: "" } route {)",
                      "cluster: \"", cluster, "\" } } }");
}

std::string Manager(absl::string_view text) {
  return absl::StrCat(
      "[type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3."
      "HttpConnectionManager] { ",
      text, " }");
}

std::string RdsTo(absl::string_view routes) {
  return Manager(
      absl::StrCat(R"(rds { config_source { ads {} } route_config_name: ")", routes, "\" }"));
}

std::string GrpcListener(absl::string_view routes) {
  return absl::StrCat("api_listener { api_listener { ", RdsTo(routes), " } }");
}

// Our trimmed schema has no filter_chains: the bytes of one are put together by hand.
std::string EnvoyListenerBytes(absl::string_view routes) {
  const auto field = [](int number, absl::string_view bytes) {
    HOLDFAST_CHECK(bytes.size() < 128 * 128);
    std::string text(1, static_cast<char>(number << 3 | 2));
    if (bytes.size() >= 128) text += static_cast<char>(0x80 | (bytes.size() & 0x7F));
    text += static_cast<char>(bytes.size() >= 128 ? bytes.size() >> 7 : bytes.size());
    return absl::StrCat(text, bytes);
  };
  const std::string any = FromText("google.protobuf.Any", absl::StrCat(RdsTo(routes)));
  return field(3, field(3, field(4, any)));
}

ConfigFile EnvoyListener(std::string path, absl::string_view routes) {
  ConfigFile file;
  file.path = std::move(path);
  file.is_readable = true;
  file.resources.push_back({std::make_shared<const Resource>(std::string(kListenerTypeName), "e",
                                                             EnvoyListenerBytes(routes)),
                            {1, 3, "resources[0]"}});
  return file;
}

TEST(ConfigSetTest, NothingIsWrongWithNothing) {
  EXPECT_THAT(Texts({}), IsEmpty());
  EXPECT_THAT(Texts({FileBuilder("a.yaml")}), IsEmpty());
}

TEST(ConfigSetTest, AWholeChainIsClean) {
  EXPECT_THAT(Texts({FileBuilder("a.yaml")
                         .Add(kListenerTypeName, "l", GrpcListener("r"))
                         .Add(kRouteConfigTypeName, "r", RoutesTo("c")),
                     FileBuilder("b.yaml")
                         .Add(kClusterTypeName, "c", EdsCluster("e"))
                         .Add(kEndpointsTypeName, "e")}),
              IsEmpty());
}

TEST(ConfigSetTest, DefinedTwiceIsAnErrorAtEachPlace) {
  std::vector<ConfigFile> files = {
      FileBuilder("a.yaml").Add(kEndpointsTypeName, "pay").Add(kEndpointsTypeName, "other"),
      FileBuilder("b.yaml").Add(kEndpointsTypeName, "pay")};
  const std::vector<std::string> texts = Texts(files);
  EXPECT_THAT(texts,
              ElementsAre("a.yaml:10:3: error: resources[0]: endpoints \"pay\" is defined twice, "
                          "also at b.yaml:10:3: which one is meant cannot be told, so none is "
                          "taken; keep one",
                          "b.yaml:10:3: error: resources[0]: endpoints \"pay\" is defined twice, "
                          "also at a.yaml:10:3: which one is meant cannot be told, so none is "
                          "taken; keep one"));
  ASSERT_THAT(files[0].resources, SizeIs(1));
  EXPECT_EQ(files[0].resources[0].resource->name(), "other");
  EXPECT_THAT(files[1].resources, IsEmpty());
  for (size_t i = 0; i < files.size(); ++i) {
    const std::vector<InvalidResource>& invalid = files[i].invalid;
    ASSERT_THAT(invalid, SizeIs(1));
    EXPECT_EQ(invalid[0].key, (ResourceKey{std::string(kEndpointsTypeName), "pay"}));
    EXPECT_EQ(invalid[0].place.line, 10);
    EXPECT_EQ(invalid[0].text, texts[i]) << "clients read what lint says";
  }
}

TEST(ConfigSetTest, AnInvalidResourceIsADefinitionToo) {
  std::vector<ConfigFile> files = {
      FileBuilder("a.yaml").AddInvalid(kEndpointsTypeName, "pay").Add(kEndpointsTypeName, "pay")};
  const std::vector<std::string> texts = Texts(files);
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_THAT(texts[0], HasSubstr("a.yaml:10:3: error: resources[0]: endpoints \"pay\" is defined "
                                  "twice, also at a.yaml:20:3"));
  EXPECT_THAT(texts[1], HasSubstr("also at a.yaml:10:3"));
  EXPECT_THAT(files[0].resources, IsEmpty());
  ASSERT_THAT(files[0].invalid, SizeIs(2));
  EXPECT_EQ(files[0].invalid[0].text, "bad");
}

// The denial of one may be in any file.
TEST(ConfigSetTest, WhatMayBeDeniedIsWithheld) {
  std::vector<ConfigFile> files = {FileBuilder("a.yaml")
                                       .Add(kEndpointsTypeName, "pay")
                                       .Add(kEndpointsTypeName, "web")
                                       .Add(kEndpointsTypeName, "api"),
                                   FileBuilder("b.yaml")
                                       .AddUnreadError(kEndpointsTypeName, "pay", true)
                                       .AddUnreadError(kEndpointsTypeName, "web", false)
                                       .AddUnreadError(kClusterTypeName, "api", true)};
  EXPECT_THAT(Texts(files), IsEmpty()) << "the entries were spoken of where they are";
  ASSERT_THAT(files[0].resources, SizeIs(2));
  EXPECT_EQ(files[0].resources[0].resource->name(), "web");
  EXPECT_EQ(files[0].resources[1].resource->name(), "api");
  ASSERT_THAT(files[0].invalid, SizeIs(1));
  EXPECT_EQ(files[0].invalid[0].key, (ResourceKey{std::string(kEndpointsTypeName), "pay"}));
  EXPECT_EQ(files[0].invalid[0].place.line, 10);
  EXPECT_EQ(files[0].invalid[0].text, "unreadable");
}

TEST(ConfigSetTest, ThreeTimesIsCounted) {
  const std::vector<std::string> texts = Texts({FileBuilder("a.yaml")
                                                    .Add(kEndpointsTypeName, "pay")
                                                    .Add(kEndpointsTypeName, "pay")
                                                    .Add(kEndpointsTypeName, "pay")});
  ASSERT_THAT(texts, SizeIs(3));
  EXPECT_THAT(texts[0], HasSubstr("is defined 3 times, also at a.yaml:20:3"));
  EXPECT_THAT(texts[2], HasSubstr("is defined 3 times, also at a.yaml:10:3"));
}

TEST(ConfigSetTest, EqualNamesOfOtherTypesAreOthers) {
  EXPECT_THAT(Texts({FileBuilder("a.yaml")
                         .Add(kEndpointsTypeName, "pay")
                         .Add(kClusterTypeName, "pay", EdsCluster("pay"))
                         .Add("envoy.extensions.Secret", "pay")
                         .AddError("envoy.extensions.Secret", "other", 5)}),
              IsEmpty());
}

TEST(ConfigSetTest, OfTwoErrorsForANameTheFirstCounts) {
  std::vector<ConfigFile> files = {FileBuilder("a.yaml").AddError(kClusterTypeName, "pay", 7),
                                   FileBuilder("b.yaml").AddError(kClusterTypeName, "pay", 5)};
  EXPECT_THAT(Texts(files),
              ElementsAre("a.yaml:10:3: error: errors[0]: the error for cluster \"pay\" is given "
                          "twice, also at b.yaml:10:3: the first one counts; keep one",
                          "b.yaml:10:3: error: errors[0]: the error for cluster \"pay\" is given "
                          "twice, also at a.yaml:10:3: the first one counts; keep one"));
  EXPECT_THAT(files[0].errors, SizeIs(1));
  EXPECT_THAT(files[1].errors, IsEmpty());
}

TEST(ConfigSetTest, AnErrorThatWithdrawsIsFine) {
  for (const int code : {5, 7}) {
    EXPECT_THAT(Texts({FileBuilder("a.yaml")
                           .Add(kEndpointsTypeName, "pay")
                           .AddError(kEndpointsTypeName, "pay", code)}),
                IsEmpty());
  }
}

TEST(ConfigSetTest, AnErrorThatIsKeptBackIsAWarning) {
  EXPECT_THAT(Texts({FileBuilder("a.yaml").AddError(kEndpointsTypeName, "pay", 14),
                     FileBuilder("b.yaml").Add(kEndpointsTypeName, "pay")}),
              ElementsAre("a.yaml:10:3: warning: errors[0]: endpoints \"pay\" is defined at "
                          "b.yaml:10:3: it stays in service and UNAVAILABLE is not sent; only "
                          "NOT_FOUND and PERMISSION_DENIED withdraw a resource"));
}

TEST(ConfigSetTest, ReferencesToNothingAreWarnings) {
  EXPECT_THAT(
      Texts({FileBuilder("a.yaml")
                 .Add(kListenerTypeName, "l", GrpcListener("rr"))
                 .Add(kRouteConfigTypeName, "r", RoutesTo("payy"))
                 .Add(kClusterTypeName, "pay", EdsCluster("nowhere"))}),
      ElementsAre("a.yaml:10:3: warning: resources[0]: listener \"l\" refers to route "
                  "configuration \"rr\", which no file defines: clients will be told that it does "
                  "not exist",
                  "a.yaml:20:3: warning: resources[1]: route configuration \"r\" refers to cluster "
                  "\"payy\", which no file defines: clients will be told that it does not exist; "
                  "did you mean \"pay\"?",
                  "a.yaml:30:3: warning: resources[2]: cluster \"pay\" refers to endpoints "
                  "\"nowhere\", which no file defines: clients will be told that it does not "
                  "exist"));
}

TEST(ConfigSetTest, MembersOfAnAggregateClusterAreReferredTo) {
  const std::string aggregate = R"(cluster_type { name: "all" typed_config {
      [type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig] {
        clusters: "dns" clusters: "nowhere" } } })";
  const ConfigFile file = FileBuilder("a.yaml")
                              .Add(kListenerTypeName, "g", GrpcListener("r"))
                              .Add(kRouteConfigTypeName, "r", RoutesTo("all"))
                              .Add(kClusterTypeName, "all", aggregate)
                              .Add(kClusterTypeName, "dns", "type: STRICT_DNS");
  EXPECT_THAT(Texts({file}),
              ElementsAre("a.yaml:30:3: warning: resources[2]: cluster \"all\" refers to cluster "
                          "\"nowhere\", which no file defines: clients will be told that it does "
                          "not exist",
                          "a.yaml:40:3: warning: resources[3]: grpc: cluster \"dns\" is of a type "
                          "that gRPC clients refuse, and an api_listener leads them to it; they "
                          "take EDS, LOGICAL_DNS and aggregate clusters"));
}

TEST(ConfigSetTest, WhatIsInvalidOrHasAnErrorIsThere) {
  EXPECT_THAT(Texts({FileBuilder("a.yaml")
                         .Add(kRouteConfigTypeName, "r", RoutesTo("pay"))
                         .AddError(kClusterTypeName, "pay", 7)
                         .Add(kRouteConfigTypeName, "s", RoutesTo("bad"))
                         .AddInvalid(kClusterTypeName, "bad")}),
              IsEmpty());
}

TEST(ConfigSetTest, GrpcWarningsAreDroppedWhereOnlyEnvoyLooks) {
  const ConfigFile routes = FileBuilder("b.yaml")
                                .Add(kRouteConfigTypeName, "r", RoutesTo("c"))
                                .AddWarning("grpc: on the way")
                                .Add(kClusterTypeName, "c", EdsCluster("e"))
                                .AddWarning("grpc: at the cluster")
                                .AddWarning("other: at the cluster")
                                .AddError(kEndpointsTypeName, "e", 5);
  const std::string other = "b.yaml:21:5: warning: resources[0].x: other: at the cluster";
  const std::string at_cluster = "b.yaml:21:5: warning: resources[0].x: grpc: at the cluster";
  const std::string on_the_way = "b.yaml:11:5: warning: resources[0].x: grpc: on the way";
  // Nobody leads there: whoever will is not known.
  EXPECT_THAT(Texts({routes}), ElementsAre(on_the_way, at_cluster, other));
  EXPECT_THAT(Texts({EnvoyListener("a.yaml", "r"), routes}), ElementsAre(other));
  EXPECT_THAT(Texts({EnvoyListener("a.yaml", "r"), routes,
                     FileBuilder("c.yaml").Add(kListenerTypeName, "g", GrpcListener("r"))}),
              ElementsAre(on_the_way, at_cluster, other));
}

TEST(ConfigSetTest, AClusterOfEnvoyIsReportedWhereAGrpcClientIsLedToIt) {
  const ConfigFile routes = FileBuilder("b.yaml")
                                .Add(kRouteConfigTypeName, "r", RoutesTo("c"))
                                .Add(kClusterTypeName, "c", "type: STRICT_DNS");
  EXPECT_THAT(Texts({routes}), IsEmpty());
  EXPECT_THAT(Texts({EnvoyListener("a.yaml", "r"), routes}), IsEmpty());
  EXPECT_THAT(Texts({FileBuilder("a.yaml").Add(kListenerTypeName, "g", GrpcListener("r")), routes}),
              ElementsAre("b.yaml:20:3: warning: resources[1]: grpc: cluster \"c\" is of a type "
                          "that gRPC clients refuse, and an api_listener leads them to it; they "
                          "take EDS, LOGICAL_DNS and aggregate clusters"));
}

ConfigFile FileOfSizes(const std::vector<size_t>& sizes) {
  ConfigFile file;
  file.path = "big.yaml";
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto line = static_cast<int>(i) + 1;
    file.resources.push_back(
        {std::make_shared<const Resource>("envoy.config.Any", absl::StrCat("s", i),
                                          std::string(sizes[i], 'x')),
         {line, 1, absl::StrCat("resources[", i, "]")}});
  }
  return file;
}

TEST(ConfigSetTest, ATypeThatDoesNotFitIntoAResponseIsAWarningAtItsBiggest) {
  EXPECT_THAT(
      Texts({FileOfSizes({size_t{1} << 20, size_t{3} << 20, size_t{1} << 20})}),
      ElementsAre("big.yaml:2:1: warning: resources[1]: all 3 resources of type envoy.config.Any "
                  "make a response of 5.0 MiB, and gRPC clients refuse more than 4.0 MiB by "
                  "default (the biggest is envoy.config.Any \"s1\" with 3.0 MiB); make them fewer "
                  "or smaller, or raise grpc.max_receive_message_length in the clients"));
  EXPECT_THAT(Texts({FileOfSizes({size_t{3} << 20})}), IsEmpty());
}

TEST(ConfigSetTest, ProblemsOfFilesComeWithThemSortedAndOnce) {
  ConfigFile second = FileBuilder("b.yaml").AddWarning("z").AddWarning("z").AddWarning("a");
  ConfigFile first = FileBuilder("a.yaml").AddWarning("m");
  EXPECT_THAT(Texts({second, first}), ElementsAre("a.yaml:1:5: warning: resources[0].x: m",
                                                  "b.yaml:1:5: warning: resources[0].x: a",
                                                  "b.yaml:1:5: warning: resources[0].x: z"));
}

TEST(ConfigSetTest, ManyOfEverythingTakeNoLongerThanTheyAreMany) {
  constexpr int kMany = 50'000;
  ConfigFile file;
  file.path = "many.yaml";
  const std::string same = FromText(kClusterTypeName, EdsCluster("nowhere"));
  for (int i = 0; i < kMany; ++i) {
    file.resources.push_back({std::make_shared<const Resource>(std::string(kClusterTypeName),
                                                               absl::StrCat("c", i), same),
                              {i, 1, "resources"}});
    file.resources.push_back(
        {std::make_shared<const Resource>(std::string(kEndpointsTypeName), "one", ""),
         {i, 2, "resources"}});
  }
  std::vector<ConfigFile> files = {std::move(file)};
  // CPU time, so that it does not matter what else the machine does. Square time would be minutes.
  const std::clock_t start = std::clock();
  EXPECT_THAT(LintTogether(absl::MakeSpan(files)), SizeIs(2 * kMany));
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 30);
}

}  // namespace
}  // namespace holdfast
